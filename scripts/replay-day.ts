import { parseArgs } from 'node:util';
import { judge, replay } from '../server/test/jobs/support/replay.ts';

// node scripts/replay-day.ts --hours 24 --seed 1
// Simulates a day's traffic, and compares each waiting job's estimated end with its actual end.
const { values } = parseArgs({
  options: { hours: { type: 'string', default: '24' }, seed: { type: 'string', default: '1' } },
});
const began = performance.now();
const said = replay({ hours: Number(values.hours), seed: Number(values.seed), askEveryMs: 10_000 });
const { near, before } = judge(said);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const waits = said.map(({ truthMs }) => truthMs / 1000).sort((a, b) => a - b);
const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
process.stdout.write(
  `${said.length} jobs that waited, ${at(0.05)} to ${at(0.95)} s (p5 to p95)
p50 within ±20 % of the truth: ${percent(near)}
ended before p95: ${percent(before)}
${Math.round(performance.now() - began)} ms\n`,
);
