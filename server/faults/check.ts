import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Database } from '../src/base/db/database.ts';
import { readConfig } from '../src/config/config.ts';
import { openStore } from '../src/images/open-store.ts';
import type { AttemptFailure } from '../src/jobs/job.ts';
import type { Cast } from './cast.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { judgeAnswers } from './judge/judge-answers.ts';
import { judgeCopies } from './judge/judge-copies.ts';
import { judgeLedger } from './judge/judge-ledger.ts';
import { judgeVerify } from './judge/judge-verify.ts';
import type { LoadLog } from './load/log.ts';
import { stuckAfterMs, type Watched } from './watch.ts';

export interface Findings {
  counts: Record<string, number>;
  violations: string[];
}

/** Compares what the server promised with the database, the image store and the logs of the other programs. */
export async function checkEverything({
  cast,
  database,
  load,
  watched,
}: {
  cast: Cast;
  database: Database;
  load: LoadLog;
  watched: Watched;
}): Promise<Findings> {
  const findings: Findings = { counts: {}, violations: [] };
  const { counts, violations } = findings;
  await using images = await openImages(cast);
  const judges: (() => Promise<Findings | undefined>)[] = [
    () => checkPromises(database, load, findings),
    () => checkWebhooks(cast, database, findings),
    () => checkReruns(cast, database, findings),
    () => judgeLedger(database, load),
    () => judgeAnswers(cast, load),
    () => judgeCopies(cast, database),
    // Runs last, because it breaks things on purpose.
    () => judgeVerify(database, images.store),
  ];
  for (const judge of judges) {
    try {
      const found = await judge();
      Object.assign(counts, found?.counts);
      violations.push(...(found?.violations ?? []));
    } catch (error) {
      violations.push(`${judge}: cannot be judged: ${inspect(error)}`);
    }
  }
  counts['stuck longer than 60 s'] = watched.stuck.size;
  counts['looks at the queue'] = watched.looks;
  counts['longest wait in the queue, ms'] = watched.longestWaitMs;
  counts['finishes refused by the fence'] = countRefusedFinishes(cast);
  if (watched.looks === 0) violations.push(`nobody saw the queue: ${watched.failure}`);
  for (const id of watched.stuck)
    violations.push(`job ${id} waited longer than ${stuckAfterMs} ms for somebody to take it`);
  violations.push(...cast.findings);
  for (const fault of load.faults) violations.push(fault);
  for (const key of load.gaveUp) violations.push(`${key} got no answer, however often it was sent`);
  const own = cast.exits.filter(({ cause }) => cause === 'own');
  // A crash of the older program does not count: either this version has fixed the defect, or the defect crashes this
  // version too, and that counts.
  const ofThis = own.filter(({ program }) => program !== cast.older?.file);
  counts['processes that ended by themselves'] = ofThis.length;
  counts['… of the older program'] = own.length - ofThis.length;
  for (const exit of ofThis) violations.push(`${exit.name} ended by itself: ${exit.how}`);
  return findings;
}

/** Checks that each acknowledged request created its jobs once under its key, and that no other created jobs. */
async function checkPromises(
  database: Database,
  { acknowledged, kinds }: LoadLog,
  { counts, violations }: Findings,
): Promise<undefined> {
  const jobs = await database.read
    .selectFrom('jobs')
    .select(['id', 'account_id', 'status', 'batch_id', 'idempotency_key'])
    .execute();
  // Only the first job of a batch has the batch's key.
  const byBatch = new Map(jobs.map((job) => [job.idempotency_key && job.batch_id, job.idempotency_key]));
  const byKey = Map.groupBy(
    jobs,
    (job) => `${job.account_id} ${job.idempotency_key ?? byBatch.get(job.batch_id)}`,
  );
  let lost = 0;
  for (const { key, kind, jobIds, accountId } of acknowledged.values()) {
    const own = byKey.get(`${accountId} ${key}`) ?? [];
    const [promised] = jobIds;
    const isKept =
      kind === 'batch'
        ? own.length > 0 && own.every(({ batch_id }) => batch_id === promised)
        : own.length === 1 && (promised === undefined || own[0]?.id === promised);
    if (isKept) continue;
    lost += 1;
    violations.push(`${key}: ${kind} ${promised} was acknowledged, and there are ${JSON.stringify(own)}`);
  }
  for (const [key, own] of byKey) {
    const isOne =
      own.length === 1 || (own[0]?.batch_id && own.every(({ batch_id }) => batch_id === own[0]?.batch_id));
    if (!isOne || !/ job-\d+$/.test(key))
      violations.push(`${key} has ${own.length} jobs: ${JSON.stringify(own)}`);
  }
  const open = jobs.filter(({ status }) => status !== 'done' && status !== 'failed');
  for (const { id, status } of open) violations.push(`job ${id} is still ${status}`);
  for (const [kind, count] of kinds) counts[`sent: ${kind}`] = count;
  counts.jobs = jobs.length;
  counts['acknowledged creates'] = acknowledged.size;
  counts['acknowledged creates lost'] = lost;
  counts['jobs that never ended'] = open.length;
}

async function openImages(cast: Cast) {
  const store = await openStore(readConfig(cast.env));
  return { store, [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose]?.() };
}

async function checkReruns(cast: Cast, database: Database, { counts }: Findings): Promise<undefined> {
  const rows = await database.read
    .selectFrom('jobs')
    .select(['id', 'failures', 'attempt'])
    .where('failures', '<>', '[]')
    .execute();
  const asked = readLines<{ jobId: string; attempt: number; at: number }>(cast.files.provider);
  const askedAt = new Map(asked.map(({ jobId, attempt, at }) => [`${jobId} ${attempt}`, at]));
  const diedAt = new Map(cast.exits.map(({ pid, at }) => [String(pid), at]));
  const losses = rows.flatMap(({ id, failures }) => {
    const all = JSON.parse(failures) as AttemptFailure[]; // the form that the server writes
    return all
      .filter(({ kind }) => kind === 'lost')
      .map(({ attempt, detail }, index) => {
        const died = diedAt.get(detail?.split(':').at(-2) ?? '');
        const again = askedAt.get(`${id} ${attempt + 1}`);
        return { isFirst: index === 0, ms: died === undefined || again === undefined ? [] : again - died };
      });
  });
  const longest = (some: typeof losses) => Math.max(0, ...some.flatMap(({ ms }) => ms));
  counts['attempts lost with their worker'] = losses.length;
  counts['longest time from a death to the next attempt, ms'] = longest(losses);
  // A job that lost its worker a second time waits 20 s by design.
  counts['… where the job had lost no other worker, ms'] = longest(losses.filter(({ isFirst }) => isFirst));
  counts['requests that reached the provider'] = asked.length;
}

function countRefusedFinishes({ files }: Cast): number {
  return readdirSync(files.logs)
    .map((name) => readFileSync(join(files.logs, name), 'utf8').split('"next":"lease_lost"').length - 1)
    .reduce((sum, count) => sum + count, 0);
}

export function readLines<Line>(file: string): Line[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}
