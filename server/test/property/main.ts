import { parseArgs } from 'node:util';
import { everything, money } from './commands.ts';
import { runSeed } from './run-seed.ts';

// npm run property -- --seeds 1000 --length 100 [--first 1] [--money]; on PostgreSQL with TEST_DATABASE_URL.
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    length: { type: 'string', default: '100' },
    first: { type: 'string', default: '1' },
    money: { type: 'boolean', default: false },
  },
});
const [seeds, length, first] = [Number(values.seeds), Number(values.length), Number(values.first)];
const { names, steps } = values.money ? money : everything;
const pairs = new Set<string>();
const startedAt = performance.now();
for (let seed = first; seed < first + seeds; seed++) await runSeed(seed, { steps, length }, pairs);

const missing = names.flatMap((a) => names.map((b) => `${a} → ${b}`)).filter((pair) => !pairs.has(pair));
const database = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';
process.stdout.write(
  `${database}: ${seeds} seeds × ${length} steps without a violation in ${Math.round((performance.now() - startedAt) / 1000)} s; ` +
    `${pairs.size} of ${names.length ** 2} pairs of steps covered${missing.length ? `, missing ${missing.join(', ')}` : ''}\n`,
);
process.exitCode = missing.length > 0 ? 1 : 0;
