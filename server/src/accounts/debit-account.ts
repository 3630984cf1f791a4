import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Tx } from '../base/db/schema.ts';
import { AppError, invalidField } from '../errors.ts';
import type { Entry } from '../money/ledger/entry.ts';
import { findEntry, findNewestEntryId, sumCorrections } from '../money/ledger/entry-page-store.ts';
import { post } from '../money/ledger/ledger-store.ts';
import { formatMicros } from '../money/ledger/money.ts';
import { lockAccount, type Moved } from './credit-account.ts';
import { assertReason, findPosted, readReference } from './references.ts';
import type { TellBalances } from './tell-balances.ts';

export interface Debit {
  account: string;
  amountMicros: bigint;
  reason: string;
  /** The entry of the credit that the debit corrects, wholly or in part. */
  corrects?: number;
  /** The payment's id at the payment provider or operator. Each payment is debited once. */
  reference?: string;
}

/**
 * Debits an account, by at most its available balance: reserved money is not touched.
 * @throws AppError `not_found`, `insufficient_funds`, `reference_reused`, `invalid_request`
 */
export function debitAccount(
  { database, tellBalances }: { database: Database; tellBalances: TellBalances },
  debit: Debit,
  by: Actor,
): Promise<Moved> {
  return database.transaction((tx) => takeDebit(tx, debit, { by, tellBalances }));
}

export async function takeDebit(
  tx: Tx,
  { account: idOrName, amountMicros, reason, corrects, ...named }: Debit,
  { by, tellBalances }: { by: Actor; tellBalances: TellBalances },
): Promise<Moved> {
  if (amountMicros <= 0n) throw new AppError('invalid_request', 'A debit must be more than zero.');
  assertReason('A debit needs a reason', reason);
  const reference = readReference(named.reference);
  const { account, locked } = await lockAccount(tx, idOrName);
  const { id: accountId } = account;
  const movement = { accountId, kind: 'debit', amountMicros, reference } as const;
  const postedId = await findPosted(tx, movement);
  if (postedId !== undefined) return { ...account, ...locked, entryId: postedId, isReplay: true };
  if (corrects !== undefined) await assertLeft(tx, { accountId, entryId: corrects, amountMicros });
  const available = locked.balanceMicros - locked.reservedMicros;
  if (amountMicros > available) throw notAvailable(available, amountMicros);
  const balanceMicros = locked.balanceMicros - amountMicros;
  const entries: Entry[] = [
    { ...movement, jobId: null, reason, ...(corrects !== undefined && { corrects }) },
  ];
  await post(tx, entries);
  await tellBalances(tx, [locked], entries);
  const detail = {
    amount: formatMicros(amountMicros),
    reason,
    ...(corrects !== undefined && { corrects }),
    ...(reference !== null && { reference }),
    balance_before: formatMicros(locked.balanceMicros),
    balance_after: formatMicros(balanceMicros),
  };
  await insertAuditEntry(tx, by, { action: 'account.debited', accountId, subject: accountId, detail });
  const entryId = await findNewestEntryId(tx, accountId, 'debit');
  return { ...account, ...locked, balanceMicros, entryId, isReplay: false };
}

/** Asserts that debits take no more than the credit that they correct. The account's lock keeps other debits out. */
async function assertLeft(
  tx: Tx,
  { accountId, entryId, amountMicros }: { accountId: string; entryId: number; amountMicros: bigint },
): Promise<void> {
  const entry = await findEntry(tx, entryId);
  if (entry?.accountId !== accountId || entry.kind !== 'credit') throw noSuchCredit();
  const left = entry.amountMicros - (await sumCorrections(tx, entry));
  if (amountMicros > left)
    throw invalidField(
      '/amount',
      `must be at most ${formatMicros(left)}: earlier corrections have left that much of the credit.`,
    );
}

export function noSuchCredit(): AppError {
  return invalidField('/corrects', 'must be the entry_id of a credit of this account, such as ent_….');
}

function notAvailable(available: bigint, required: bigint): AppError {
  const amounts = { available: formatMicros(available), required: formatMicros(required) };
  return new AppError(
    'insufficient_funds',
    `Only ${amounts.available} can be taken: the rest is reserved for jobs, or the account does not have it.`,
    amounts,
  );
}
