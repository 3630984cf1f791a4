import { sql } from 'kysely';
import type { Database } from '../server/src/base/db/database.ts';
import { readOwed } from '../server/src/jobs/owed/read-owed.ts';
import { readMargins } from '../server/src/jobs/read-margins.ts';
import { openWorld } from '../server/test/world/world.ts';

/** `many`: almost every job has its own counter, the worst case. `usual`: a few models sold to some accounts. */
const shapes = {
  usual: { accounts: 50, days: 92, keys: 1, models: 3, routes: 2 },
  many: { accounts: 200, days: 730, keys: 2, models: 5, routes: 2 },
};
type Shape = (typeof shapes)[keyof typeof shapes];
const dayMs = 86_400_000;
const perStatement = 20_000;

export async function measureMargins(
  say: (line: string) => void,
  { jobs, rounds }: { jobs: number; rounds: number },
): Promise<void> {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const today = Math.floor(Date.now() / dayMs);
  for (const [name, shape] of Object.entries(shapes)) {
    const counters = await fill(database, { jobs, today, shape });
    say(
      `### margins of ${jobs.toLocaleString('en')} jobs, ${name}: ${counters.toLocaleString('en')} counters\n`,
    );
    say('| | rows | ms |\n|---|---|---|');
    const days = (length: number) => ({ from: dayOf(today - length + 1), to: dayOf(today) });
    const margins = (group_by: string, length: number) => async () =>
      (await readMargins(database, { group_by, ...days(length) })).rows.length;
    for (const [what, read] of [
      ['a month by account', margins('account', 30)],
      ['all by account and month', margins('account,month', shape.days)],
      ['all by day', margins('day', shape.days)],
      ['what is owed, a month', async () => (await readOwed(database, days(30))).days.length],
    ] as const) {
      const took: number[] = [];
      let found = 0;
      for (let round = 0; round < rounds; round += 1) {
        const began = performance.now();
        found = await read();
        took.push(performance.now() - began);
      }
      took.sort((one, other) => one - other);
      say(`| ${what} | ${found} | ${took[Math.floor(took.length / 2)]?.toFixed(0)} |`);
    }
    say('');
  }
}

function dayOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Gives each job a random day, account, key, model and route. Returns the number of counters. */
async function fill(
  database: Database,
  { jobs, today, shape }: { jobs: number; today: number; shape: Shape },
): Promise<number> {
  await database.transaction((tx) => sql`delete from margins`.execute(tx));
  const idOf = (kind: number, index: number) =>
    `${String(kind).padStart(8, '0')}-0000-7000-8000-${String(index).padStart(12, '0')}`;
  const any = (below: number) => Math.floor(Math.random() * below);
  const images = new Map<string, number>();
  for (let job = 0; job < jobs; job += 1) {
    const account = any(shape.accounts);
    const model = any(shape.models);
    const row = [
      ...[
        today - any(shape.days),
        `'${idOf(1, account)}'`,
        `'${idOf(2, account * shape.keys + any(shape.keys))}'`,
      ],
      ...[`'model-${model}'`, `'model-${model}/route-${any(shape.routes)}'`, "'fal'"],
    ].join(', ');
    images.set(row, (images.get(row) ?? 0) + 1);
  }
  const values = [...images].map(
    ([row, count]) => `(${row}, ${count}, ${count * 40_000}, ${count * 20_000}, ${count * 1_000}, 0, 0, 0)`,
  );
  for (let at = 0; at < values.length; at += perStatement)
    await database.transaction((tx) =>
      sql.raw(`insert into margins values ${values.slice(at, at + perStatement).join(', ')}`).execute(tx),
    );
  // On a server, the database would analyze the table itself.
  await database.transaction((tx) => sql.raw('analyze margins').execute(tx));
  return values.length;
}
