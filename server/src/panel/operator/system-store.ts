import { sql } from 'kysely';
import { isLeased } from '../../db/job-predicates.ts';
import type { Queries } from '../../db/schema.ts';

/** Workers that hold jobs now. */
export async function listWorkers(
  queries: Queries,
): Promise<{ worker: string; jobs: number; leaseUntil: number }[]> {
  const rows = await queries
    .selectFrom('jobs')
    .select(({ fn }) => [
      'worker',
      fn.countAll<number>().as('jobs'),
      fn.max('claimable_at').as('lease_until'),
    ])
    .where(isLeased)
    .groupBy('worker')
    .orderBy('worker')
    .execute();
  return rows.map(({ worker, jobs, lease_until }) => ({
    worker: worker ?? '',
    jobs,
    leaseUntil: lease_until,
  }));
}

/** The number of results, and their bytes. */
export async function sumImages(queries: Queries): Promise<{ images: number; bytes: number }> {
  const { rows } = await sql<{ images: number; bytes: number | null }>`
    select count(image_bytes) as images, sum(image_bytes) as bytes from jobs`.execute(queries);
  return { images: rows[0]?.images ?? 0, bytes: rows[0]?.bytes ?? 0 };
}
