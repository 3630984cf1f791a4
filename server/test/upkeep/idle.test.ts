import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { SqliteConnection } from '../../src/base/db/sqlite/connection.ts';
import { until } from '../faults/support/server.ts';
import { openWorld, type World } from '../world/world.ts';

test('an idle server reads, and hardly ever writes', async () => {
  await using world = await openWorld();
  await world.finished(await world.create('/nb2/text-generations'));
  // Start-up writes for a while, on a busy machine for seconds. A loop that wrote each time would never be calm.
  await until(() => isCalm(world));
});

test('an idle server asks whether anything was written, and searches for no work', async (t) => {
  const texts = listen(t);
  await using world = await openWorld();
  await world.finished(await world.create('/nb2/text-generations'));
  await until(() => {
    const asked = texts.flatMap((text, index) => (/current_snapshot|data_version/.test(text) ? [index] : []));
    const sinceTwelve = texts.slice(asked.at(-12) ?? texts.length);
    return (
      sinceTwelve.length > 0 && !sinceTwelve.some((text) => /with recursive lanes|claimable_at <=/.test(text))
    );
  });
});

function listen(t: TestContext): string[] {
  const texts: string[] = [];
  const run = SqliteConnection.prototype.run;
  t.mock.method(SqliteConnection.prototype, 'run', function (this: SqliteConnection, ...args: [never]) {
    texts.push((args[0] as { sql: string }).sql);
    return run.apply(this, args);
  });
  const query = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    texts.push(String((args[0] as { text?: string }).text));
    return query.apply(this, args);
  });
  return texts;
}

/** Whether at most the notes of presence and of the clock were written, every few seconds, while 60 reads were made. */
async function isCalm(world: World): Promise<boolean> {
  const before = await countQueries(world);
  const beganAt = performance.now();
  const after = await until(async () => {
    const now = await countQueries(world);
    return now.reads >= before.reads + 60 ? now : undefined;
  });
  const seconds = (performance.now() - beganAt) / 1_000;
  return after.transactions - before.transactions <= 3 + seconds / 2;
}

async function countQueries({ url }: World): Promise<{ reads: number; transactions: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (kind: string) =>
    Number(
      new RegExp(`^darkroom_database_seconds_count\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
    );
  return { reads: count('read'), transactions: count('transaction') };
}
