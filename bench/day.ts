import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLoad, startTarget, type Target } from './load.ts';

const samples = 12;
// What is called of each kind in a second: far from what the server can do, because not its speed is asked for.
const rates = { creates: 20, polls: 40, lists: 5, streams: 5 };
type Kind = keyof typeof rates;
const kinds = Object.keys(rates) as Kind[];
// Pools, caches and compiled code are what they will be after the first third; what grows later grows with time.
const settled = samples / 3;
const allowed = { memory: 1.1, descriptors: 1.1, p99: 2 };

interface Sample {
  rssMb: number;
  descriptors: number;
  p99: Record<Kind, number>;
}

/** What grows with time and should not: a mixed load with webhooks and broken-off streams at an even pace. */
export async function measureDay(
  say: (line: string) => void,
  { minutes }: { minutes: number },
): Promise<void> {
  const receiver = createServer(
    (request, reply) => void request.resume().on('end', () => reply.end()),
  ).listen(0);
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo; // it listens on a port
  try {
    await using stack = new AsyncDisposableStack();
    const isAlone = process.env.TEST_DATABASE_URL === undefined;
    const api = stack.use(await startTarget('--role', isAlone ? 'all' : 'api'));
    const targets = [api];
    if (api.databaseUrl !== undefined)
      targets.push(stack.use(await startTarget('--role', 'worker', '--join', api.databaseUrl)));
    const client = createClient(api, `http://127.0.0.1:${port}/hook`);
    const stop = new AbortController();
    const running = kinds.map((kind) =>
      keepCalling(client.calls[kind], rates[kind], client.times[kind], stop.signal),
    );
    const seen: Sample[] = [];
    while (seen.length < samples) {
      await Promise.race([sleep((minutes * 60_000) / samples), ...running]);
      seen.push({ ...(await sizeOf(targets)), p99: client.takeP99() });
    }
    stop.abort();
    await Promise.all(running);
    tell(say, seen, minutes);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

function createClient({ url, key }: Target, hook: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ ...JSON.parse(createLoad.body ?? ''), callback_url: hook });
  const times: Record<Kind, number[]> = { creates: [], polls: [], lists: [], streams: [] };
  let last = '';
  const call = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
    return answer;
  };
  const create = async () => {
    const answer = await call(createLoad.path, { method: 'POST', body });
    last = ((await answer.json()) as { job_id: string }).job_id; // the documented answer
  };
  const read = async (path: string) => void (await (await call(path)).arrayBuffer());
  const jobPath = async () => {
    if (last === '') await create();
    return `/api/v1/jobs/${last}`;
  };
  return {
    times,
    calls: {
      creates: create,
      polls: async () => read(await jobPath()),
      lists: () => read('/api/v1/jobs'),
      async streams() {
        const answer = await call(await jobPath(), { headers: { accept: 'text/event-stream' } });
        const reader = answer.body?.getReader();
        await reader?.read();
        await reader?.cancel();
      },
    } satisfies Record<Kind, () => Promise<void>>,
    takeP99() {
      const p99 = ([kind, list]: [string, number[]]) => [
        kind,
        list.sort((a, b) => a - b)[Math.floor(list.length * 0.99)] ?? 0,
      ];
      const taken = Object.fromEntries(Object.entries(times).map(p99)) as Record<Kind, number>;
      for (const list of Object.values(times)) list.length = 0;
      return taken;
    },
  };
}

async function keepCalling(
  call: () => Promise<void>,
  perSecond: number,
  times: number[],
  signal: AbortSignal,
) {
  while (!signal.aborted) {
    const began = performance.now();
    await call();
    const tookMs = performance.now() - began;
    times.push(tookMs);
    await sleep(Math.max(0, 1_000 / perSecond - tookMs));
  }
}

/** Of all processes together. Linux tells both of any process. */
async function sizeOf(targets: readonly Target[]): Promise<Pick<Sample, 'rssMb' | 'descriptors'>> {
  const sizes = targets.map(async ({ pid }) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
    return { rssMb: Number(kilobytes) / 1_024, descriptors: (await readdir(`/proc/${pid}/fd`)).length };
  });
  const all = await Promise.all(sizes);
  const sum = (of: 'rssMb' | 'descriptors') => all.reduce((total, one) => total + one[of], 0);
  return { rssMb: Math.round(sum('rssMb')), descriptors: sum('descriptors') };
}

function tell(say: (line: string) => void, seen: readonly Sample[], minutes: number): void {
  say(`### a mixed load for ${minutes} minutes\n`);
  say(`| MB | descriptors | ${kinds.map((kind) => `p99 of ${kind}, ms`).join(' | ')} |`);
  say(`|---|---|${kinds.map(() => '---|').join('')}`);
  for (const { rssMb, descriptors, p99 } of seen)
    say(`| ${rssMb} | ${descriptors} | ${kinds.map((kind) => Math.round(p99[kind])).join(' | ')} |`);
  const growth = (of: (sample: Sample) => number) => {
    const middle = median(seen.slice(settled, 2 * settled).map(of));
    return median(seen.slice(2 * settled).map(of)) / Math.max(1, middle);
  };
  const judged: [string, number, number][] = [
    ['memory', growth(({ rssMb }) => rssMb), allowed.memory],
    ['descriptors', growth(({ descriptors }) => descriptors), allowed.descriptors],
    ...kinds.map((kind): [string, number, number] => [
      `p99 of ${kind}`,
      growth(({ p99 }) => p99[kind]),
      allowed.p99,
    ]),
  ];
  say('\nThe last third beside the one before:\n\n| | times | allowed |\n|---|---|---|');
  for (const [what, times, most] of judged)
    say(`| ${what} | ${times.toFixed(2)}${times > most ? ' (grows)' : ''} | ${most} |`);
  say('');
}

function median(list: number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}
