import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Database } from '../../src/base/db/database.ts';
import type { Cast } from '../cast.ts';

/** The S3 server's file name for an object's data; metadata and hash are in separate files. */
const ending = '.png._S3rver_object';

export async function judgeCopies(
  { objects, bucketId, accounts, files }: Cast,
  database: Database,
): Promise<{ counts: Record<string, number>; violations: string[] }> {
  if (!objects) return { counts: {}, violations: [] };
  const violations: string[] = [];
  const jobs = await database.read
    .selectFrom('jobs')
    .leftJoin('events', (join) =>
      join.onRef('events.job_id', '=', 'jobs.id').on('events.type', '=', 'job.done'),
    )
    .leftJoin('deliveries', (join) =>
      join.onRef('deliveries.event_id', '=', 'events.id').on('deliveries.endpoint_id', '=', bucketId),
    )
    .select(['jobs.id', 'jobs.image_sha256 as sha256', 'deliveries.status'])
    .where('jobs.account_id', '=', accounts.rich.accountId)
    .where('jobs.status', '=', 'done')
    .execute();
  const names = new Map<string, string>();
  for (const file of globSync(`**/*${ending}`, { cwd: files.copies })) {
    const id = basename(file, ending);
    if (names.has(id)) violations.push(`job ${id} was copied twice: ${names.get(id)} and ${file}`);
    names.set(id, file);
  }
  const known = new Set(jobs.map(({ id }) => id));
  for (const [id, key] of names) if (!known.has(id)) violations.push(`${key} is a copy of no image`);
  for (const { id, sha256, status } of jobs.filter((job) => job.status !== 'pending')) {
    const name = names.get(id);
    const copy = name && (await readFile(join(files.copies, name)));
    const hash = copy && createHash('sha256').update(copy).digest('hex');
    if (status !== 'delivered' || hash !== sha256)
      violations.push(
        `job ${id}: its copy is ${status ?? 'not even planned'}, and has ${hash} for ${sha256}`,
      );
  }
  const waiting = jobs.filter(({ status }) => status === 'pending').length;
  return { counts: { copies: names.size, 'copies that wait for their next attempt': waiting }, violations };
}
