import type { RetentionSettings } from '../../accounts/retention/retention.ts';
import type { Queries } from '../../base/db/schema.ts';
import { toIsoOrNull } from '../../base/std/iso-time.ts';
import type { Job } from '../job.ts';
import { readKeptUntil } from './kept-store.ts';
import { readTags, type Tags } from './tag-store.ts';

export interface Marks extends Tags {
  /** When the image will be deleted; null for no end, absent without an image. */
  kept_until?: string | null;
}

export async function readMarks(
  queries: Queries,
  retention: RetentionSettings,
  jobs: readonly Job[],
): Promise<(job: Job) => Marks> {
  const tagsOf = await readTags(
    queries,
    jobs.map(({ id }) => id),
  );
  const untilOf = await readKeptUntil(queries, retention, jobs);
  return (job) => {
    const until = untilOf(job);
    return { ...tagsOf(job.id), ...(until !== undefined && { kept_until: toIsoOrNull(until) }) };
  };
}
