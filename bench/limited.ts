import { createAccount } from '../server/src/accounts/create-account.ts';
import { createKey } from '../server/src/accounts/create-key.ts';
import { commandLine } from '../server/src/base/audit/audit-store.ts';
import type { Database } from '../server/src/base/db/database.ts';
import { systemClock } from '../server/src/base/std/clock.ts';
import { changeLimits } from '../server/src/money/limits/change-limits.ts';
import { type LimitChanges, noDefaults } from '../server/src/money/limits/limit.ts';

const most = 1_000_000_000n;
const micros = 4_000_000_000_000_000n;
// Every limit except the one on waiting jobs. That one has no counter: a create counts the jobs in an index.
const limits: LimitChanges = {
  ...{ hour: micros, day: micros, month: micros, total: micros },
  ...{ open: most, running: most, input: most, second: most, minute: most },
};

export async function createLimited(database: Database): Promise<string> {
  const deps = { database, clock: systemClock };
  const { id } = await createAccount(deps, { name: 'limited', creditMicros: micros });
  const { key } = await createKey(deps, { account: id, limits });
  const ofAccount = { accountId: id, subject: { kind: 'account', id }, changes: limits } as const;
  await database.transaction((tx) => changeLimits(tx, { ...ofAccount, defaults: noDefaults }, commandLine));
  return key;
}
