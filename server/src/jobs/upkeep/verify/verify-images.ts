import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Database } from '../../../base/db/database.ts';
import type { ImageStore } from '../../../images/image-store.ts';
import { pngSize } from '../../../images/png.ts';
import { readCatalogue } from '../../../upstream/catalog/catalogue.ts';
import { type Model, pixels } from '../../../upstream/catalog/models.ts';
import type { Job } from '../../job.ts';
import { findJob, listDoneJobs } from '../../job-store.ts';
import type { Violation } from './checks-store.ts';

interface Deps {
  database: Database;
  images: ImageStore;
}

export interface VerifiedImages {
  images: number;
  violations: Violation[];
  /** The last job of the page; null at the end. */
  after: string | null;
}

const pageSize = 200;
// The number of concurrent requests. One at a time would be slow, because a bucket takes many milliseconds per answer.
const mostAtOnce = 16;

/** Checks I9: every `done` job has a readable image with the recorded hash and the promised size. */
export async function verifyImages(deps: Deps): Promise<{ checked: number; violations: Violation[] }> {
  const all: { checked: number; violations: Violation[] } = { checked: 0, violations: [] };
  for await (const { images, violations } of imagePages(deps)) {
    all.checked += images;
    all.violations.push(...violations);
  }
  return all;
}

export async function* imagePages(deps: Deps, after: string | null = null): AsyncGenerator<VerifiedImages> {
  for (let last = after; ; ) {
    const page = await verifyImagesAfter(deps, { after: last, limit: pageSize });
    yield page;
    last = page.after;
    if (last === null) return;
  }
}

export async function verifyImagesAfter(
  { database, images }: Deps,
  { after, limit }: { after: string | null; limit: number },
): Promise<VerifiedImages> {
  const catalogue = await readCatalogue(database.read);
  const page = await listDoneJobs(database.read, { after: after ?? '', limit });
  const problems: (string | undefined)[] = [];
  const left = page.entries();
  const checkNext = async () => {
    for (const [nth, job] of left) {
      const model = await catalogue.at(database.read, job.model, job.modelVersion);
      const problem = await checkImage(images, job, model);
      if (problem && (await stillHasImage(database, job))) problems[nth] = `job ${job.id}: ${problem}`;
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, checkNext));
  const violations = problems.flatMap((detail) => (detail === undefined ? [] : { invariant: 'I9', detail }));
  return { images: page.length, violations, after: page.length < limit ? null : (page.at(-1)?.id ?? null) };
}

/** Reads the job again, because its image may just have been deleted. */
async function stillHasImage({ read }: Database, { id }: Job): Promise<boolean> {
  const job = await findJob(read, id);
  return job !== undefined && job.imageDeletedAt === null;
}

async function checkImage(
  images: ImageStore,
  { image, aspectRatio, resolution }: Job,
  model: Model,
): Promise<string | undefined> {
  if (!image || !aspectRatio) return 'has no image';
  const stored = await images.get(image.key);
  if (!stored) return `its image ${image.key} is not in the store`;
  const { sha256, ends } = await readThrough(stored.body);
  if (sha256 !== image.sha256) return `the hash of ${image.key} does not match`;
  // The header of a JPEG or WebP may be anywhere in the file. For these types, the hash proves that the file is ours,
  // so its size is the recorded one.
  const found = image.mediaType === 'image/png' ? pngSize(ends) : image;
  const promised = pixels(model, aspectRatio, resolution);
  if (found?.width !== promised.width || found.height !== promised.height) {
    return `${image.key} has ${found?.width} × ${found?.height} pixels instead of ${promised.width} × ${promised.height}`;
  }
  return undefined;
}

// The number of bytes to keep, more than the header or end of a PNG.
const endBytes = 64;

/** Hashes an object, keeping only its first and last bytes, so that reading many objects needs little memory. */
async function readThrough(body: Readable): Promise<{ sha256: string; ends: Buffer }> {
  const hash = createHash('sha256');
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    // the store's streams yield buffers
    hash.update(chunk);
    const missing = endBytes - head.length;
    if (missing > 0) head = Buffer.concat([head, chunk.subarray(0, missing)]);
    const rest = chunk.subarray(Math.max(0, missing)).subarray(-endBytes);
    tail = Buffer.concat([tail, rest]).subarray(-endBytes);
  }
  return { sha256: hash.digest('hex'), ends: Buffer.concat([head, tail]) };
}
