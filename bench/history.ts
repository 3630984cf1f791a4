import { median } from './in-turn.ts';
import { createLoad, type Load, type Measured, measure, startTarget } from './load.ts';

// Few connections keep the load generator and the server from being busy, so that only the checks delay a create.
const load: Load = { ...createLoad, connections: 4, seconds: 5 };

/**
 * Measures creates in a database with many finished jobs: without checks, during upkeep's ledger checks, and during a
 * full check.
 */
export async function measureHistory(
  say: (line: string) => void,
  { jobs, rounds }: { jobs: number; rounds: number },
): Promise<void> {
  await using target = await startTarget('--finished', String(jobs));
  await measure(target, load);
  const ways = ['none', 'slowly', 'at once'] as const;
  const measured = new Map<string, Measured[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const way of ways) {
      if (way !== 'none') await target.check(way);
      measured.get(way)?.push(await measure(target, load));
      if (way !== 'none') await target.check('end');
    }
  say(`### creates during the checks of ${jobs.toLocaleString('en')} jobs, 4 connections\n`);
  say('| checks | per second | CPU µs a create | p50 ms | p99 ms | longest ms |\n|---|---|---|---|---|---|');
  for (const [way, list] of measured) {
    const of = (key: keyof Measured) => median(list.map((one) => one[key]));
    say(
      `| ${way} | ${Math.round(of('perSecond'))} | ${Math.round(of('cpuMicros'))} | ${of('p50')} | ${of('p99')} | ${of('max')} |`,
    );
  }
  say('');
}
