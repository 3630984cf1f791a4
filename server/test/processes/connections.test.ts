import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../src/base/db/database.ts';
import { createDatabase } from '../world/databases.ts';
import { clientOf, createJob, eachOf, finished, refusedPrompt } from './support/client.ts';
import { openInstallation } from './support/installation.ts';

const skip = process.env.TEST_DATABASE_URL ? false : 'needs PostgreSQL';

test('under load, a process of each role has at most the documented connections, and all that it is configured for', {
  skip,
}, async () => {
  const given = await createDatabase();
  assert.ok(given);
  await using place = await openInstallation(given);
  // The server distinguishes processes by this name. PostgreSQL's own processes, such as autovacuum, have none.
  const start = (name: string, role: 'api' | 'worker' | 'all', env = {}) =>
    place.start(role, { DATABASE_URL: `${given.url}?application_name=${name}`, ...env });
  const api = await start('api', 'api');
  await using _worker = await start('worker', 'worker');
  await using all = await start('all', 'all');
  await using _two = await start('two', 'worker', { DARKROOM_DATABASE_CONNECTIONS: '2' });
  const { key } = await place.account(100_000_000n);

  const most = await mostConnections(place.database, () =>
    Promise.all(
      [api, all].map((server) => {
        const client = clientOf(server, key);
        return eachOf(Array(100).keys(), 50, async () => {
          const [jobId] = await Promise.all([
            createJob(client, refusedPrompt),
            client('GET', '/jobs'),
            client('GET', '/usage'),
          ]);
          await finished(client, jobId);
        });
      }),
    ),
  );
  assert.deepEqual(most, { api: 4, worker: 3, all: 4, two: 2 });
});

/** The largest number of connections of each name while `work` runs. */
async function mostConnections(
  { read }: Database,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const most: Record<string, number> = {};
  const worked = Promise.withResolvers<false>();
  const ended = work().finally(() => worked.resolve(false));
  for (let goesOn = true; goesOn; goesOn = await Promise.race([worked.promise, count()]));
  await ended;
  return most;

  async function count(): Promise<boolean> {
    const { rows } = await sql<{ name: string; connections: number }>`
      select application_name as name, count(*)::int as connections from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and application_name not in ('', 'darkroom')
      group by 1`.execute(read);
    for (const { name, connections } of rows) most[name] = Math.max(most[name] ?? 0, connections);
    return true;
  }
}
