import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import autocannon from 'autocannon';
import type { Left } from './past.ts';

export interface Target extends AsyncDisposable, TargetAddress {
  state(): Promise<TargetState>;
  /** Counts unfinished jobs. Costs as much as hundreds of requests, so it must not run during a measurement. */
  waiting(): Promise<number>;
  jobs(): Promise<number>;
  /** Begins or ends the removal of jobs past their retention, or only reads its state. Returns its progress. */
  past(message: PastMessage['past']): Promise<{ removed: number; isOver: boolean }>;
  check(how: CheckMessage['check']): Promise<unknown>;
  /** Counts the images that the removal left behind, and the violated invariants. */
  look(): Promise<Left>;
}

export interface PastMessage {
  past: 'begin' | 'end' | 'state';
}

export interface CheckMessage {
  check: 'slowly' | 'at once' | 'end';
}

interface TargetAddress {
  url: string;
  key: string;
  pid: number;
  /** The database's URL; undefined with SQLite. */
  databaseUrl?: string;
  dataDir?: string;
  accountId?: string;
  /** The key of a second account, which has limits; only with `--limited`. */
  limitedKey?: string;
  /** A link that signs in the first operator. Works once. */
  panelLink?: string;
}

export interface TargetState {
  cpuMicros: number;
  rssBytes: number;
  heapBytes: number;
}

export function startTarget(...flags: string[]): Promise<Target> {
  return startTargetOf(import.meta.dirname, ...flags);
}

export async function startTargetOf(folder: string, ...flags: string[]): Promise<Target> {
  const child = fork(join(folder, 'target.ts'), flags);
  const address = await answer<TargetAddress>(child);
  return {
    ...address,
    async state() {
      child.send('state');
      return answer<TargetState>(child);
    },
    async waiting() {
      child.send('waiting');
      return answer(child);
    },
    async jobs() {
      child.send('jobs');
      return answer<number>(child);
    },
    async past(past) {
      child.send({ past });
      return answer(child);
    },
    async check(check) {
      child.send({ check });
      return answer(child);
    },
    async look() {
      child.send('look');
      return answer(child);
    },
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit');
      child.send('close');
      await gone;
    },
  };
}

async function answer<T>(child: ChildProcess): Promise<T> {
  const [message] = await once(child, 'message');
  return message as T; // the target sends nothing else
}

export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
  cpuMicros: number;
  requests: number;
}

export interface Load {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  connections: number;
  seconds: number;
  key?: string | undefined;
  headers?: Record<string, string>;
}

// How often autocannon checks whether the time is up. Its default, one second, is longer than a short turn.
const lookMs = 100;

let nextKey = 0;

/** Sends requests as fast as they are answered, from this process; each create has a fresh Idempotency-Key. */
export async function measure(target: Target, load: Load): Promise<Measured> {
  const before = await target.state();
  const result = await autocannon({
    url: target.url,
    connections: load.connections,
    duration: load.seconds,
    ...(load.seconds < 1 && { sampleInt: lookMs }),
    requests: [
      {
        method: load.method,
        path: load.path,
        headers: {
          authorization: `Bearer ${load.key ?? target.key}`,
          'content-type': 'application/json',
          ...load.headers,
        },
        ...(load.body !== undefined && {
          body: load.body,
          setupRequest: (request) => ({
            ...request,
            headers: { ...request.headers, 'idempotency-key': `bench-${process.pid}-${nextKey++}` },
          }),
        }),
      },
    ],
  });
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx} refusals, ${result.errors} errors`);
  const after = await target.state();
  const requests = result.requests.total;
  return {
    perSecond: requests / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    max: result.latency.max,
    cpuMicros: (after.cpuMicros - before.cpuMicros) / requests,
    requests,
  };
}

export const createLoad: Load = {
  method: 'POST',
  path: '/api/v1/nb2/text-generations',
  body: JSON.stringify({ prompt: 'a lighthouse at dusk', aspect_ratio: '16:9' }),
  connections: 64,
  seconds: 4,
};

/** Creates that are answered once their job is done, so that a request takes as long as its job. */
export const jobLoad: Load = { ...createLoad, headers: { prefer: 'wait=30' } };

export async function createOne(target: Target, key = target.key): Promise<string> {
  const response = await fetch(target.url + createLoad.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: createLoad.body ?? '',
  });
  const { job_id: jobId } = (await response.json()) as { job_id: string };
  return jobId;
}

/** Returns a load of polls of one finished job. The target must have a worker. */
export async function pollLoad(target: Target, key = target.key): Promise<Load> {
  const jobId = await createOne(target, key);
  await readOne(target, jobId, key);
  return { method: 'GET', path: `/api/v1/jobs/${jobId}`, connections: 64, seconds: 3, key };
}

export async function readOne(target: Target, jobId: string, key = target.key) {
  const response = await fetch(`${target.url}/api/v1/jobs/${jobId}`, {
    headers: { authorization: `Bearer ${key}`, prefer: 'wait=30' },
  });
  return (await response.json()) as {
    status: string;
    created_at: string;
    started_at: string;
    finished_at: string;
  };
}

export async function untilIdle(target: Target): Promise<void> {
  while ((await target.waiting()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
