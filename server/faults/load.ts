import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast } from './cast.ts';
import type { Random } from './random.ts';

/** A create that the service answered with 202: a promise that the harness holds it to. */
export interface Acknowledged {
  key: string;
  jobId: string;
  accountId: string;
}

export interface LoadLog {
  acknowledged: Map<string, Acknowledged>;
  /** Final refusals for money. */
  refused: number;
  /** Requests whose answer never came, however often they were sent. */
  gaveUp: string[];
  /** Answers by status, and requests without an answer under `0`. */
  answers: Map<number, number>;
  replays: number;
  /** What no good server does: two jobs for one key, a 5xx without Retry-After, a status that is not in the contract. */
  faults: string[];
}

export interface LoadOptions {
  jobs: number;
  minutes: number;
  random: Random;
  file: string;
  receiverUrl: string;
  /** Ends the load early: nothing more is sent. */
  signal: AbortSignal;
}

// Enough to have many creates in every batch; more would only measure the client.
const maxUnderWay = 48;
// A good client gives up only when nothing could be wrong with the network for so long.
const patienceMs = 180_000;
const requestTimeoutMs = 30_000;
const replayShare = 0.1;

/** Creates jobs at an even pace, each with its own Idempotency-Key, and retries as the documentation tells clients to. */
export async function runLoad(cast: Cast, options: LoadOptions): Promise<LoadLog> {
  const { jobs, minutes, signal } = options;
  const log: LoadLog = {
    acknowledged: new Map(),
    refused: 0,
    gaveUp: [],
    answers: new Map(),
    replays: 0,
    faults: [],
  };
  const underWay = new Set<Promise<void>>();
  const beganAt = performance.now();
  for (let number = 0; number < jobs && !signal.aborted; number++) {
    await sleep(Math.max(0, beganAt + (number / jobs) * minutes * 60_000 - performance.now()));
    while (underWay.size >= maxUnderWay) await Promise.race(underWay);
    const job = drawRequest(number, cast, options);
    const sent = sendUntilAnswered(cast, job, log, options).finally(() => underWay.delete(sent));
    underWay.add(sent);
  }
  await Promise.all(underWay);
  return log;
}

interface JobRequest {
  key: string;
  account: { accountId: string; key: string };
  path: string;
  body: object;
  replay: boolean;
}

function drawRequest(number: number, cast: Cast, { random, receiverUrl }: LoadOptions): JobRequest {
  const account = random.chance(0.95) ? cast.accounts[0] : cast.accounts[1];
  if (!account) throw new Error('the cast has two accounts');
  // Mostly the model whose answers need no decoding, so that the processors are left to the faults.
  const path = random.pick(['/nb', '/nb', '/nb', '/nb', '/nb2', '', '']);
  return {
    key: `job-${number}`,
    account,
    path: `/api/v1${path}/text-generations`,
    body: { prompt: `picture ${number}`, aspect_ratio: '1:1', callback_url: `${receiverUrl}/${number}` },
    replay: random.chance(replayShare),
  };
}

async function sendUntilAnswered(
  cast: Cast,
  job: JobRequest,
  log: LoadLog,
  { random, file, signal }: LoadOptions,
): Promise<void> {
  for (const giveUpAt = performance.now() + patienceMs; performance.now() < giveUpAt && !signal.aborted; ) {
    const answer = await send(cast, job, random);
    log.answers.set(answer.status, (log.answers.get(answer.status) ?? 0) + 1);
    if (answer.status === 202) {
      acknowledge(job, answer.jobId, log, file);
      if (!job.replay) return;
      job.replay = false;
      log.replays += 1;
      continue;
    }
    if (answer.status === 402) {
      log.refused += 1;
      return;
    }
    if (!answer.isRetryable)
      log.faults.push(`${job.key}: HTTP ${answer.status} ${answer.text.slice(0, 300)}`);
    await sleep(answer.retryAfterMs ?? 100 + 200 * random.next());
  }
  log.gaveUp.push(job.key);
}

function acknowledge({ key, account }: JobRequest, jobId: string, log: LoadLog, file: string): void {
  const known = log.acknowledged.get(key);
  if (known && known.jobId !== jobId) log.faults.push(`${key}: first ${known.jobId}, then ${jobId}`);
  if (known) return;
  const acknowledged = { key, jobId, accountId: account.accountId };
  log.acknowledged.set(key, acknowledged);
  appendFileSync(file, `${JSON.stringify(acknowledged)}\n`);
}

interface Answer {
  status: number;
  jobId: string;
  text: string;
  isRetryable: boolean;
  retryAfterMs?: number;
}

async function send(cast: Cast, job: JobRequest, random: Random): Promise<Answer> {
  const [first = '', ...others] = cast.apiUrls;
  try {
    const response = await fetch(`${random.pick([first, ...others])}${job.path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${job.account.key}`,
        'content-type': 'application/json',
        'idempotency-key': job.key,
      },
      body: JSON.stringify(job.body),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    const { status } = response;
    const retryAfter = response.headers.get('retry-after');
    const isRetryable = (status === 503 || status === 409) && retryAfter !== null;
    const jobId = status === 202 ? (JSON.parse(text) as { job_id: string }).job_id : ''; // the contract of 202
    return {
      status,
      jobId,
      text,
      isRetryable,
      ...(retryAfter !== null && { retryAfterMs: Number(retryAfter) * 1000 }),
    };
  } catch (error) {
    return { status: 0, jobId: '', text: String(error), isRetryable: true };
  }
}
