import { jobPath } from './paths.ts';
import { send, type Transport } from './send.ts';
import type { JobTags, TagChange } from './types.ts';

/**
 * Sends one request for each change, in order. The answer to a removal lacks the tags. So another request reads them if
 * the last change is a removal, or if there is no change.
 */
export async function changeTags(
  transport: Transport,
  jobId: string,
  { add = [], remove = [], starred }: TagChange,
  signal: AbortSignal | undefined,
): Promise<JobTags> {
  const path = jobPath(jobId);
  const tagged = (tag: string) => `${path}/tags/${encodeURIComponent(tag)}`;
  const changes = [
    ...remove.map((tag) => ({ method: 'DELETE' as const, path: tagged(tag) })),
    ...add.map((tag) => ({ method: 'PUT' as const, path: tagged(tag) })),
    ...(starred === undefined
      ? []
      : [{ method: starred ? ('PUT' as const) : ('DELETE' as const), path: `${path}/star` }]),
  ];
  let now: JobTags | undefined;
  for (const change of changes) now = await send<JobTags | undefined>(transport, { ...change, signal });
  return now ?? send<JobTags>(transport, { method: 'GET', path: `${path}/tags`, signal });
}
