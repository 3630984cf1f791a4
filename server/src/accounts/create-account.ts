import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Tx } from '../base/db/schema.ts';
import type { Clock } from '../base/std/clock.ts';
import { newId } from '../base/std/ids.ts';
import { AppError } from '../errors.ts';
import { post } from '../money/ledger/ledger-store.ts';
import { formatMicros } from '../money/ledger/money.ts';
import { type Account, findAccount, insertAccountIfNew } from './account-store.ts';
import { isGiven } from './credit-account.ts';
import { insertKeyedCredit } from './credit-key-store.ts';
import { maxNameLength } from './name.ts';

export interface NewAccount {
  name: string;
  creditMicros?: bigint;
  reason?: string;
  /** A repeat with the same key returns the account that the first request created. */
  idempotencyKey?: string | null;
}

/** @throws AppError `invalid_request` for the name; `idempotency_key_reused` for a repeat with another credit */
export function createAccount(
  { database, clock }: { database: Database; clock: Clock },
  account: NewAccount,
  by?: Actor,
): Promise<Account> {
  return database.transaction((tx) => addAccount(tx, clock, account, by));
}

export async function addAccount(
  tx: Tx,
  clock: Clock,
  { name, creditMicros = 0n, reason = 'first credit', idempotencyKey: key }: NewAccount,
  by?: Actor,
): Promise<Account> {
  if (name.trim() === '' || name.length > maxNameLength) {
    throw new AppError('invalid_request', `An account's name has 1 to ${maxNameLength} characters.`);
  }
  const id = newId(clock.nowMs());
  const credit = { amountMicros: creditMicros, reason };
  if (!(await insertAccountIfNew(tx, { id, name }))) {
    const made = key ? await findAccount(tx, name) : undefined;
    if (made && key && (await isGiven(tx, { accountId: made.id, key, ...credit }))) return made;
    throw new AppError('invalid_request', `There is already an account named "${name}".`);
  }
  if (key) await insertKeyedCredit(tx, { accountId: id, key, ...credit });
  if (creditMicros > 0n) await post(tx, [{ accountId: id, jobId: null, kind: 'credit', ...credit }]);
  const detail = { name, credit: formatMicros(creditMicros), reason };
  if (by) await insertAuditEntry(tx, by, { action: 'account.created', accountId: id, subject: id, detail });
  const account = await findAccount(tx, id);
  if (!account) throw new Error('the account that was just written cannot be read');
  return account;
}
