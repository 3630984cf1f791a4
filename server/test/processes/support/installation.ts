import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../../src/base/db/connect.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { systemClock } from '../../../src/base/std/clock.ts';
import type { Role } from '../../../src/config/config.ts';
import { findViolations } from '../../../src/jobs/upkeep/verify/find-violations.ts';
import { formatMicros } from '../../../src/money/ledger/money.ts';
import { migrateDatabase } from '../../../src/start/open-operator.ts';
import { type Operator, openOperator } from '../../world/commands.ts';
import { copySchema } from '../../world/databases.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** One database and one data folder, for any number of processes. Disposing ends them and checks the invariants. */
export interface Installation extends AsyncDisposable {
  env: Record<string, string>;
  operator: Operator;
  database: Database;
  start(role: Role, env?: Record<string, string>): Promise<ServerProcess>;
  readJob(jobId: string): Promise<{ status: string; attempt: number } | undefined>;
  account(creditMicros: bigint): Promise<{ accountId: string; key: string }>;
}

export async function openInstallation(
  given: { url: string; directUrl?: string; drop?(): Promise<void> } | undefined,
  more: Record<string, string> = {},
  parent: string = tmpdir(),
): Promise<Installation> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(parent, 'darkroom-processes-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  stack.defer(() => given?.drop?.());
  if (!given) await copySchema(dataDir);
  const env = {
    DARKROOM_DATA_DIR: dataDir,
    DARKROOM_SECRET: 'a secret that all processes of a test share',
    ...(given && { DATABASE_URL: given.url }),
    ...(given?.directUrl && { DATABASE_DIRECT_URL: given.directUrl }),
    ...more,
  };
  await migrateDatabase(env);
  const operator = stack.use(await openOperator(env));
  const database = stack.use(
    await connect({ url: given?.url, directUrl: given?.directUrl, dataDir, clock: systemClock }),
  );
  stack.defer(async () => {
    const violations = await findViolations(database.read);
    if (violations.length > 0) throw new Error(`invariants violated: ${JSON.stringify(violations)}`);
  });
  let accounts = 0;
  const running = stack.move();
  return {
    env,
    operator,
    database,
    async start(role, more = {}) {
      return running.use(await startServerProcess({ ...env, ...more }, role));
    },
    async readJob(jobId) {
      const row = await database.read
        .selectFrom('jobs')
        .select(['status', 'attempt'])
        .where('id', '=', jobId)
        .executeTakeFirst();
      return row && { ...row };
    },
    async account(creditMicros) {
      accounts += 1;
      const { account_id: accountId } = await operator.createAccount({
        name: `tests-${accounts}`,
        credit: formatMicros(creditMicros),
      });
      const { key } = await operator.createKey(accountId);
      return { accountId, key };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
