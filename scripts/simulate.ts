import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readClientSettings } from '../cli/src/settings.ts';
import { Darkroom, DarkroomError, type Job } from '../sdk/src/index.ts';
import { pickRequest } from './simulate-requests.ts';

// npm run simulate -- --url http://127.0.0.1:3000 --rate 2 --minutes 10
// Sends steady, varied traffic to a running server, for development and soak tests. Stops after the given minutes, or
// on Ctrl-C.
const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    rate: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '10' },
  },
});
const rate = numberOf('rate', values.rate);
const minutes = numberOf('minutes', values.minutes);
const reportEveryMs = 10_000;
const pollEveryMs = 1_000;
/** The time that jobs have to finish if they are still running when the traffic stops. */
const patienceMs = 60_000;

const { url, key } = await readClientSettings({
  ...process.env,
  ...(values.url !== undefined && { DARKROOM_URL: values.url }),
}).catch((error: Error) => leave(error.message));
// No retries, because refusals are counted too.
const client = new Darkroom({ baseUrl: url, apiKey: key, maxRetries: 0 });

const counts = new Map<string, number>();
const createMs: number[] = [];
const endMs: number[] = [];
const underWay = new Set<Promise<void>>();
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const began = performance.now();
const reports = setInterval(() => say(elapsed()), reportEveryMs);
for (let number = 0; number < rate * minutes * 60; number++) {
  const waitMs = began + (number * 1000) / rate - performance.now();
  const isTime = await sleep(Math.max(0, waitMs), true, { signal: stop.signal }).catch(() => false);
  if (!isTime) break;
  const work = simulateOne(number)
    .catch(note)
    .finally(() => underWay.delete(work));
  underWay.add(work);
}
const patience = setTimeout(() => stop.abort(), patienceMs);
await Promise.all(underWay);
clearTimeout(patience);
clearInterval(reports);
say(`${elapsed()}, all`);

/** Acts as one client. Special actions are a fixed share of all actions, so that two runs are alike. */
async function simulateOne(number: number): Promise<void> {
  const [model, request] = pickRequest(number);
  const idempotencyKey = randomUUID();
  const startedAt = performance.now();
  const { job_id: jobId } = await client.createJob(model, request, { idempotencyKey });
  createMs.push(performance.now() - startedAt);
  count('created');
  if (number % 7 === 3) {
    const replay = await client.createJob(model, request, { idempotencyKey });
    count(replay.job_id === jobId ? 'replayed' : 'REPLAYED WRONGLY');
  }
  if (number % 11 === 5) await client.cancelJob(jobId).then(() => count('cancel'), note);
  const job = await follow(jobId, number % 3 === 0);
  endMs.push(performance.now() - startedAt);
  count(job.status === 'failed' ? `failed: ${job.error_code}` : job.status);
  if (job.status === 'done') {
    await client.downloadImage(job, { signal: stop.signal });
    count('downloaded');
  }
}

async function follow(jobId: string, polls: boolean): Promise<Job> {
  if (!polls) return client.waitForJob(jobId, { signal: stop.signal });
  for (;;) {
    const job = await client.getJob(jobId, { signal: stop.signal });
    count('polls');
    if (job.status === 'done' || job.status === 'failed') return job;
    await sleep(pollEveryMs, undefined, { signal: stop.signal });
  }
}

function note(error: unknown): void {
  if (error instanceof DarkroomError) count(`refused: ${error.status} ${error.code}`);
  else if (stop.signal.aborted) count('not waited for');
  else count(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function say(when: string): void {
  const numbers = [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([what, times]) => `${what} ${times}`);
  const times = `create ${spread(createMs)}, end ${spread(endMs)}`;
  process.stdout.write(`${when}: ${[...numbers, `under way ${underWay.size}`, times].join(' · ')}\n`);
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `p50 ${at(0.5)} p99 ${at(0.99)} ms`;
}

function elapsed(): string {
  return `${Math.round((performance.now() - began) / 1000)} s`;
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  return number > 0 && Number.isFinite(number)
    ? number
    : leave(`--${name} is "${text}"; it must be a number above 0.`);
}

function leave(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
