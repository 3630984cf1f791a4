import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { toIso } from '../../../base/std/iso-time.ts';
import { makePreview } from '../../../images/make-preview.ts';
import { extensions } from '../../../images/media-types.ts';
import { readWhole } from '../../../images/read-whole.ts';
import { getJob } from '../../../jobs/get-job.ts';
import { listJobs } from '../../../jobs/job-list-store.ts';
import type { DoorDeps } from '../door-deps.ts';
import type { Caller } from './tool.ts';

const prefix = 'darkroom://images/';
const latest = 20;
// The maximum size of an image that is sent whole. Its base64 is in one message, and clients refuse more than 1 MiB.
const maxWholeBytes = 512 * 1024;
const maxTitleLength = 80;

export const imageTemplate = {
  uriTemplate: `${prefix}{job_id}`,
  name: 'image',
  title: 'An image by its job_id',
};

export async function listImages({ database }: DoorDeps, { key }: Caller): Promise<Resource[]> {
  const filter = { accountId: key.accountId, status: 'done' } as const;
  const jobs = await listJobs(database.reports, filter, { limit: latest });
  return jobs.flatMap(({ id, prompt, model, image, createdAt }) =>
    image
      ? [
          {
            uri: prefix + id,
            name: `${id}.${extensions[image.mediaType]}`,
            title: shorten(prompt),
            description: `${image.width} × ${image.height} pixels, made by ${model} at ${toIso(createdAt)}.`,
            mimeType: image.mediaType,
            size: image.bytes,
          },
        ]
      : [],
  );
}

/** @throws ResourceNotFoundError */
export async function readImage(deps: DoorDeps, { key }: Caller, uri: string): Promise<ReadResourceResult> {
  const jobId = uri.startsWith(prefix) ? uri.slice(prefix.length) : '';
  const job = await getJob(deps, { accountId: key.accountId, jobId }).catch(() => undefined);
  const image = job?.image;
  if (!image) throw new ResourceNotFoundError(uri);
  if (image.bytes > maxWholeBytes) return contents(uri, 'image/webp', await makePreview(deps.images, image));
  const stored = await deps.images.get(image.key);
  if (!stored) throw new ResourceNotFoundError(uri);
  return contents(uri, image.mediaType, await readWhole(stored.body, stored.bytes));
}

function contents(uri: string, mimeType: string, bytes: Uint8Array): ReadResourceResult {
  return { contents: [{ uri, mimeType, blob: Buffer.from(bytes).toString('base64') }] };
}

/** Makes a title from a prompt. Removes control characters and other invisible ones, which could mislead. */
function shorten(prompt: string): string {
  const line = prompt.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength - 1)}…` : line;
}
