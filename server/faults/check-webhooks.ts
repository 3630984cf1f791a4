import type { Database } from '../src/base/db/database.ts';
import type { Cast } from './cast.ts';
import { type Findings, readLines } from './check.ts';

interface Received {
  id: string;
  jobId: string;
  hash: string;
  accepted: boolean;
}

export async function checkWebhooks(
  { files, bucketId }: Cast,
  database: Database,
  { counts, violations }: Findings,
): Promise<undefined> {
  const received = readLines<Received>(files.receiver);
  const hashes = new Map<string, Set<string>>();
  const ids = new Map<string, Set<string>>();
  for (const { id, jobId, hash } of received) {
    hashes.set(id, (hashes.get(id) ?? new Set()).add(hash));
    ids.set(jobId, (ids.get(jobId) ?? new Set()).add(id));
  }
  const changed = [...hashes].filter(([, seen]) => seen.size > 1);
  const doubled = [...ids].filter(([, seen]) => seen.size > 1);
  for (const [id] of changed) violations.push(`webhook ${id} came with different contents`);
  for (const [jobId] of doubled) violations.push(`job ${jobId} was told under two webhook ids`);
  const accepted = new Set(received.filter((one) => one.accepted).map(({ jobId }) => jobId));
  const deliveries = await database.read
    .selectFrom('events')
    .leftJoin('deliveries', (join) =>
      join
        .onRef('deliveries.event_id', '=', 'events.id')
        .on(({ or, eb }) => or([eb('endpoint_id', 'is', null), eb('endpoint_id', '<>', bucketId ?? '')])),
    )
    .select(['events.job_id', 'deliveries.status'])
    .where('events.type', 'in', ['job.done', 'job.failed'])
    .execute();
  for (const { job_id, status } of deliveries) {
    const isKept = status === 'pending' || (status === 'delivered' && accepted.has(job_id));
    if (!isKept)
      violations.push(
        `job ${job_id}: its delivery is ${status ?? 'missing'}, and the receiver says ${accepted.has(job_id)}`,
      );
  }
  counts.events = deliveries.length;
  counts['webhooks received'] = received.length;
  counts['webhooks accepted at least once'] = accepted.size;
  counts['webhooks that wait for their next attempt'] = deliveries.filter(
    ({ status }) => status === 'pending',
  ).length;
  counts['duplicate events'] = changed.length + doubled.length;
}
