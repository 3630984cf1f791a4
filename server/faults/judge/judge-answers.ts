import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { Cast } from '../cast.ts';
import type { Account } from '../load/accounts.ts';
import { type LoadLog, sight } from '../load/log.ts';
import { prices } from '../load/operator.ts';

interface ShownJob {
  job_id: string;
  status: string;
  model: string;
  started_at: string | null;
  finished_at: string | null;
  price: string;
  error: string | null;
  error_code: string | null;
  result: { image_url: string; width: number; height: number; bytes: number } | null;
}

// A request is tried for a minute. A killed process comes back within a second, or within half a minute on a busy
// machine.
const tries = 120;
const atOnce = 8;
/** The size of 1:1 at 1K, for all three models. */
const promised = { width: 1024, height: 1024 };
// One image in sixteen is also requested in a smaller size, which may have to be made first.
const lookedAtSmaller = 16;
const smallerWidth = 256;
const knownPrices: Record<string, readonly string[]> = { nb: prices, nb2: ['0.04'], pro: ['0.08'] };

export async function judgeAnswers(
  cast: Cast,
  log: LoadLog,
): Promise<{ counts: Record<string, number>; violations: string[] }> {
  const violations: string[] = [];
  const counts: Record<string, number> = { 'images fetched and decoded': 0 };
  for (const account of Object.values(cast.accounts)) {
    const jobs = await listJobs(cast, account);
    for (const job of jobs) violations.push(...judgeJob(job, log));
    const left = jobs.filter(({ status }) => status === 'done').values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const job of left) {
          const problem = await judgeImage(cast, job);
          if (problem) violations.push(`job ${job.job_id}: ${problem}`);
          else counts['images fetched and decoded'] = (counts['images fetched and decoded'] ?? 0) + 1;
        }
      }),
    );
    violations.push(...(await judgeBalance(cast, account, jobs, log)));
    tally(counts, jobs);
  }
  return { counts, violations };
}

function judgeJob(job: ShownJob, log: LoadLog): string[] {
  const { job_id: id, status, started_at: startedAt, finished_at: finishedAt, price } = job;
  const problems: string[] = [];
  sight(log, id, { status, startedAt, finishedAt, price });
  if (
    !finishedAt ||
    (status === 'done' ? !job.result || job.error : job.result || !job.error || !job.error_code)
  )
    problems.push(`its state does not fit: ${JSON.stringify(job)}`);
  if (!knownPrices[job.model]?.includes(price))
    problems.push(`it cost ${price}, which was no price of ${job.model}`);
  if (log.cancelled.has(id) && job.error_code !== 'cancelled')
    problems.push(`cancelling it was answered with 200, and it is ${status} (${job.error_code})`);
  return problems.map((problem) => `job ${id}: ${problem}`);
}

async function judgeImage(cast: Cast, { job_id: id, result }: ShownJob): Promise<string | undefined> {
  if (!result) return 'it is done and has no result';
  const { pathname, search } = new URL(result.image_url);
  const response = await ask(cast, `${pathname}${search}`, {});
  if (response.status !== 200) return `its image is ${response.status}`;
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length !== result.bytes) return `its image has ${bytes.length} bytes and not ${result.bytes}`;
  const { info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  if (info.width !== promised.width || info.height !== promised.height)
    return `its image has ${info.width} × ${info.height} pixels`;
  if (Number.parseInt(id.slice(-2), 16) < lookedAtSmaller) return judgeSmaller(cast, `${pathname}${search}`);
}

async function judgeSmaller(cast: Cast, path: string): Promise<string | undefined> {
  const response = await ask(cast, `${path}&w=${smallerWidth}`, {});
  if (response.status !== 200) return `its smaller image is ${response.status}`;
  const { width } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  if (width !== smallerWidth) return `its smaller image is ${width} pixels wide`;
}

async function judgeBalance(
  cast: Cast,
  { accountId, key, credit }: Account,
  jobs: readonly ShownJob[],
  { payments }: LoadLog,
): Promise<string[]> {
  const micros = (amount: string | number) => Math.round(Number(amount) * 1e6);
  const paid = payments
    .filter((payment) => payment.accountId === accountId && payment.acknowledged)
    .reduce((sum, { kind, amount }) => sum + micros(amount) * (kind === 'credit' ? 1 : -1), 0);
  const spent = jobs.reduce((sum, { status, price }) => sum + (status === 'done' ? micros(price) : 0), 0);
  const expected = micros(credit) + paid - spent;
  const response = await ask(cast, '/api/v1/balance', { authorization: `Bearer ${key}` });
  const { balance, reserved } = (await response.json()) as { balance: string; reserved: string }; // the call's contract
  if (micros(balance) === expected && micros(reserved) === 0) return [];
  return [
    `account ${accountId} is shown ${balance} (${reserved} reserved); its jobs and payments make ${expected / 1e6}`,
  ];
}

function tally(counts: Record<string, number>, jobs: readonly ShownJob[]): void {
  for (const { status, error_code: code } of jobs) {
    const names =
      status === 'done'
        ? ['jobs done']
        : code === 'cancelled'
          ? ['jobs cancelled']
          : ['jobs failed', `… ${code}`];
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  }
}

async function listJobs(cast: Cast, { key }: Account): Promise<ShownJob[]> {
  const jobs: ShownJob[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const response = await ask(cast, `/api/v1/jobs?limit=100${query}`, { authorization: `Bearer ${key}` });
    const page = (await response.json()) as { data: ShownJob[]; next_cursor: string | null }; // the call's contract
    jobs.push(...page.data);
    cursor = page.next_cursor;
  }
  return jobs;
}

/** Retries, because the last killed process may still be starting after the faults are over. */
async function ask(cast: Cast, path: string, headers: Record<string, string>): Promise<Response> {
  const [url = ''] = cast.apiUrls;
  for (let left = tries; ; left--) {
    try {
      const response = await fetch(`${url}${path}`, { headers });
      if (response.status < 500 || left === 0) return response;
    } catch (error) {
      if (left === 0) throw error;
    }
    await sleep(500);
  }
}
