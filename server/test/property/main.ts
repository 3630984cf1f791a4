import { parseArgs } from 'node:util';
import { stepNames } from './commands.ts';
import { runSeed } from './run-seed.ts';

// npm run property -- --seeds 1000 --length 100 [--first 1]; on PostgreSQL with TEST_DATABASE_URL.
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    length: { type: 'string', default: '100' },
    first: { type: 'string', default: '1' },
  },
});
const [seeds, length, first] = [Number(values.seeds), Number(values.length), Number(values.first)];
const pairs = new Set<string>();
const startedAt = performance.now();
for (let seed = first; seed < first + seeds; seed++) await runSeed(seed, length, pairs);

const missing = stepNames
  .flatMap((a) => stepNames.map((b) => `${a} → ${b}`))
  .filter((pair) => !pairs.has(pair));
const database = process.env.TEST_DATABASE_URL ? 'postgres' : 'sqlite';
process.stdout.write(
  `${database}: ${seeds} seeds × ${length} steps without a violation in ${Math.round((performance.now() - startedAt) / 1000)} s; ` +
    `${pairs.size} of ${stepNames.length ** 2} pairs of steps covered${missing.length ? `, missing ${missing.join(', ')}` : ''}\n`,
);
process.exitCode = missing.length > 0 ? 1 : 0;
