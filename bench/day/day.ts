import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTarget, type Target } from '../load.ts';
import { callsADay, type DayCalls, type Kind, kinds, rates } from './day-calls.ts';
import { startOutside } from './day-outside.ts';
import { type Sample, tellGrowth, tellHead, tellSample } from './day-table.ts';

// Jobs are kept for less time than the ten minutes between purges, so each purge finds jobs to remove.
const keepMinutes = 5;

/** Measures memory, descriptors and latency each minute under an even, mixed load. None of them may grow over time. */
export async function measureDay(
  say: (line: string) => void,
  { minutes }: { minutes: number },
): Promise<void> {
  await using outside = await startOutside();
  await using stack = new AsyncDisposableStack();
  const isAlone = process.env.TEST_DATABASE_URL === undefined;
  const keep = ['--keep', String(keepMinutes)];
  const api = stack.use(await startTarget('--role', isAlone ? 'all' : 'api', ...keep));
  const targets = [api];
  if (api.databaseUrl !== undefined) {
    const same = ['--join', api.databaseUrl, '--data', api.dataDir ?? ''];
    targets.push(stack.use(await startTarget('--role', 'worker', ...same, ...keep)));
  }
  const calls = await callsADay(api, outside);
  const times = Object.fromEntries(kinds.map((kind): [Kind, number[]] => [kind, []])) as Times; // one for each kind
  const stop = new AbortController();
  const running = kinds.map((kind) => keepCalling(calls[kind], rates[kind], times[kind], stop.signal));
  const seen: Sample[] = [];
  tellHead(say, { minutes });
  while (seen.length < minutes) {
    await Promise.race([sleep(60_000), ...running]);
    const sample = { ...(await sizeOf(targets)), p99: takeP99(times) };
    seen.push(sample);
    tellSample(say, seen.length, sample);
  }
  stop.abort();
  await Promise.all(running);
  tellGrowth(say, seen);
  say(`${outside.delivered.toLocaleString('en')} webhooks were delivered.\n`);
}

type Times = Record<Kind, number[]>;

async function keepCalling(
  call: DayCalls[Kind],
  perSecond: number,
  times: number[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const began = performance.now();
    await call();
    const tookMs = performance.now() - began;
    times.push(tookMs);
    await sleep(Math.max(0, 1_000 / perSecond - tookMs));
  }
}

/** Returns the 99th percentiles since its previous call. */
function takeP99(times: Times): Record<Kind, number> {
  const p99 = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length * 0.99)] ?? 0;
  const taken = kinds.map((kind): [Kind, number] => [kind, p99(times[kind].splice(0))]);
  return Object.fromEntries(taken) as Record<Kind, number>; // one for each kind
}

/** Reads /proc, so it needs Linux. */
async function sizeOf(targets: readonly Target[]): Promise<Omit<Sample, 'p99'>> {
  const sizes = targets.map(async (target) => {
    const status = await readFile(`/proc/${target.pid}/status`, 'utf8');
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
    const { heapBytes } = await target.state();
    return {
      rssMb: Number(kilobytes) / 1_024,
      heapMb: heapBytes / 1_048_576,
      descriptors: (await readdir(`/proc/${target.pid}/fd`)).length,
    };
  });
  const all = await Promise.all(sizes);
  const sum = (of: 'rssMb' | 'heapMb' | 'descriptors') => all.reduce((total, one) => total + one[of], 0);
  return {
    rssMb: Math.round(sum('rssMb')),
    heapMb: Math.round(sum('heapMb')),
    descriptors: sum('descriptors'),
    jobs: (await targets[0]?.jobs()) ?? 0,
  };
}
