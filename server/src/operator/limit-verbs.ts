import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import type { Queries } from '../db/schema.ts';
import { changeLimits } from '../limits/change-limits.ts';
import type { LimitDefaults, Subject } from '../limits/limit.ts';
import { listLimits } from '../limits/list-limits.ts';
import { presentLimit } from '../limits/present-limit.ts';
import { type LimitsJson, readLimitChanges } from '../limits/read-limit-changes.ts';
import { keyOf } from './subjects.ts';

export interface LimitVerbDeps {
  database: Database;
  limitDefaults: LimitDefaults;
}

/** Limits of accounts and keys. */
export function limitVerbs({ database, limitDefaults: defaults }: LimitVerbDeps, by: Actor) {
  const list = async (who: Limited) => {
    const { subject } = await who(database.read);
    const nowMs = await readNow(database.read);
    const limits = await listLimits(database.read, subject, { defaults, nowMs });
    return limits.map((limit) => presentLimit(limit, nowMs));
  };
  const change = async (who: Limited, limits: LimitsJson) => {
    const changes = readLimitChanges(limits);
    await database.transaction(async (tx) => changeLimits(tx, { ...(await who(tx)), changes, defaults }, by));
    return list(who);
  };
  return {
    accountLimits: (account: string) => list(ofAccount(account)),
    keyLimits: (keyId: string) => list(ofKey(keyId)),
    /** Those that are not named stay as they are. */
    changeAccountLimits: (account: string, limits: LimitsJson) => change(ofAccount(account), limits),
    changeKeyLimits: (keyId: string, limits: LimitsJson) => change(ofKey(keyId), limits),
  };
}

type Limited = (queries: Queries) => Promise<{ accountId: string; subject: Subject }>;

const ofAccount =
  (account: string): Limited =>
  async (queries) => {
    const { id } = await accountOf(queries, account);
    return { accountId: id, subject: { kind: 'account', id } };
  };

const ofKey =
  (keyId: string): Limited =>
  async (queries) => {
    const { id, accountId } = await keyOf(queries, keyId);
    return { accountId, subject: { kind: 'key', id } };
  };
