import {
  createLoad,
  createOne,
  type Load,
  type Measured,
  measure,
  readOne,
  startTarget,
  type Target,
} from './load.ts';

// Turns are short and many, so that what else the machine does meets both alike.
const seconds = 0.5;
const turnsPerRound = 8;
const leastOfCreates = 0.95;
const leastOfPolls = 0.97;

type Say = (line: string) => void;

/** Creates and polls in one process, of an account without limits and of one that has them, as its key has, in turn. */
export async function measureLimits(say: Say, rounds: number): Promise<void> {
  const turns = rounds * turnsPerRound;
  {
    await using target = await startTarget('--limited');
    const key = target.limitedKey;
    say('### creates of an account with limits\n');
    report(say, leastOfCreates, await compare(target, turns, [createLoad, { ...createLoad, key }]));
  }
  await using target = await startTarget('--role', 'all', '--memory', '--limited');
  const loads = [
    await pollLoad(target, target.key),
    await pollLoad(target, target.limitedKey ?? ''),
  ] as const;
  say('### polls of an account with limits\n');
  report(say, leastOfPolls, await compare(target, turns, loads));
}

async function pollLoad(target: Target, key: string): Promise<Load> {
  const jobId = await createOne(target, key);
  await readOne(target, jobId, key);
  return { method: 'GET', path: `/api/v1/jobs/${jobId}`, connections: 64, seconds, key };
}

async function compare(target: Target, turns: number, [without, within]: readonly [Load, Load]) {
  const take = (load: Load) => measure(target, { ...load, seconds });
  await take(without);
  await take(within);
  const [free, limited]: [Measured[], Measured[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    // The second of two may have it easier, so they change places.
    if (turn % 2 === 0) free.push(await take(without));
    limited.push(await take(within));
    if (turn % 2 === 1) free.push(await take(without));
  }
  return { free, limited };
}

function report(say: Say, least: number, { free, limited }: Record<'free' | 'limited', Measured[]>): void {
  say('| | per second | CPU µs a request |\n|---|---|---|');
  const of = (list: Measured[], key: 'perSecond' | 'cpuMicros') => median(list.map((one) => one[key]));
  for (const [who, list] of [
    ['without limits', free],
    ['with limits', limited],
  ] as const)
    say(
      `| ${who} | ${Math.round(of(list, 'perSecond')).toLocaleString('en')} | ${of(list, 'cpuMicros').toFixed(1)} |`,
    );
  const ratio = (key: 'perSecond' | 'cpuMicros') =>
    median(limited.map((one, turn) => one[key] / (free[turn]?.[key] ?? 1)));
  const speed = ratio('perSecond');
  say(
    `\nratio, median of ${limited.length} pairs: **${percent(speed)}** of the speed (at least ${percent(least)}), ${percent(ratio('cpuMicros'))} of the processor time\n`,
  );
  if (speed < least) process.exitCode = 1;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}
