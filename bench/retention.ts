import { createLoad, type Measured, measure, startTarget } from './load.ts';

const mostImages = 100_000;

/** Measures creates, alternately with and without a removal of old jobs, then finishes the removal. */
export async function measureRetention(
  say: (line: string) => void,
  { jobs, rounds }: { jobs: number; rounds: number },
): Promise<void> {
  const images = Math.min(jobs, mostImages);
  await using target = await startTarget('--finished', String(jobs), '--images', String(images));
  await measure(target, { ...createLoad, seconds: 2 });
  const alone: Measured[] = [];
  const beside: Measured[] = [];
  const speeds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await measure(target, createLoad));
    const { removed: before } = await target.past('begin');
    beside.push(await measure(target, createLoad));
    const { removed } = await target.past('end');
    speeds.push((removed - before) / createLoad.seconds);
  }
  const ratios = beside.map(({ perSecond }, round) => perSecond / (alone[round]?.perSecond ?? 1));
  const count = jobs.toLocaleString('en');
  say(
    `### creates while ${count} jobs past their retention are removed, ${images.toLocaleString('en')} with files\n`,
  );
  say(
    '| | per second | CPU µs per create | p50 ms | p99 ms | removed per second |\n|---|---|---|---|---|---|',
  );
  for (const [who, list, speed] of [
    ['creates alone', alone, 0],
    ['during the removal', beside, median(speeds)],
  ] as const) {
    const of = (key: 'perSecond' | 'cpuMicros' | 'p50' | 'p99') => median(list.map((one) => one[key]));
    say(
      `| ${who} | ${whole(of('perSecond'))} | ${whole(of('cpuMicros'))} | ${of('p50')} | ${of('p99')} | ${whole(speed)} |`,
    );
  }
  say(`\nratio, median of ${rounds} rounds: **${(median(ratios) * 100).toFixed(0)} %**\n`);

  const startedAt = performance.now();
  const { removed: before } = await target.past('begin');
  let state = await target.past('state');
  while (!state.isOver) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    state = await target.past('state');
  }
  const seconds = (performance.now() - startedAt) / 1000;
  say(
    `With nothing else to do, the other ${whole(state.removed - before)} went in ${seconds.toFixed(0)} s: ${whole((state.removed - before) / seconds)} per second.`,
  );
  const left = await target.look();
  say(
    `Of ${count}, ${whole(state.removed)} are gone. Left in the store: ${left.objects} objects, ${left.orphans} of unknown jobs. Violated invariants: ${left.violations}.\n`,
  );
  if (state.removed !== jobs || left.objects + left.violations > 0) process.exitCode = 1;
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}
