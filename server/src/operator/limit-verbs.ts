import { findAccount } from '../accounts/account-store.ts';
import { commandLine } from '../accounts/audit-store.ts';
import { changeLimits } from '../accounts/change-limits.ts';
import { findKey } from '../accounts/key-store.ts';
import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import type { Queries } from '../db/schema.ts';
import { AppError } from '../errors.ts';
import { type LimitChanges, type LimitDefaults, noDefaults, type Subject } from '../limits/limit.ts';
import { presentLimit } from '../limits/present-limit.ts';
import { listLimits } from '../limits/read-limits.ts';
import { isUuid } from '../std/ids.ts';

/** Limits of accounts and keys, as JSON. */
export function limitVerbs({
  database,
  limitDefaults: defaults = noDefaults,
}: {
  database: Database;
  limitDefaults?: LimitDefaults;
}) {
  return {
    async listLimits(who: Limited) {
      const { subject } = await findLimited(database.read, who);
      const nowMs = await readNow(database.read);
      const limits = await listLimits(database.read, subject, { defaults, nowMs });
      return limits.map((limit) => presentLimit(limit, nowMs));
    },
    async changeLimits(who: Limited, changes: LimitChanges) {
      await database.transaction(async (tx) =>
        changeLimits(tx, { ...(await findLimited(tx, who)), changes, defaults }, commandLine),
      );
    },
  };
}

/** `account` is an id or a name. */
export type Limited = { account: string } | { keyId: string };

/** @throws AppError `not_found` */
async function findLimited(queries: Queries, who: Limited): Promise<{ accountId: string; subject: Subject }> {
  if ('keyId' in who) {
    const key = isUuid(who.keyId) ? await findKey(queries, who.keyId) : undefined;
    if (!key) throw new AppError('not_found', `There is no key "${who.keyId}".`);
    return { accountId: key.accountId, subject: { kind: 'key', id: key.id } };
  }
  const account = await findAccount(queries, who.account);
  if (!account) throw new AppError('not_found', `There is no account "${who.account}".`);
  return { accountId: account.id, subject: { kind: 'account', id: account.id } };
}
