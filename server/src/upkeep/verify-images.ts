import { createHash } from 'node:crypto';
import { readCatalogue } from '../catalog/catalogue.ts';
import { type Model, pixels } from '../catalog/models.ts';
import type { Database } from '../db/database.ts';
import type { ImageStore } from '../images/image-store.ts';
import { pngSize } from '../images/png.ts';
import type { Job } from '../jobs/job.ts';
import { listDoneJobs } from '../jobs/job-store.ts';
import type { Violation } from './verify-store.ts';

const pageSize = 100;

/** I9: every `done` job has a readable image with the recorded hash and the promised pixels. */
export async function verifyImages({
  database,
  images,
}: {
  database: Database;
  images: ImageStore;
}): Promise<{ checked: number; violations: Violation[] }> {
  const violations: Violation[] = [];
  const catalogue = await readCatalogue(database.read);
  let checked = 0;
  for (let after = ''; ; ) {
    const page = await listDoneJobs(database.read, { after, limit: pageSize });
    for (const job of page) {
      const model = await catalogue.at(database.read, job.model, job.modelVersion);
      const problem = await checkImage(images, job, model);
      if (problem) violations.push({ invariant: 'I9', detail: `job ${job.id}: ${problem}` });
      checked += 1;
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return { checked, violations };
    after = last.id;
  }
}

async function checkImage(
  images: ImageStore,
  { image, aspectRatio, resolution }: Job,
  model: Model,
): Promise<string | undefined> {
  if (!image || !aspectRatio) return 'has no image';
  const stored = await images.get(image.key);
  if (!stored) return `its image ${image.key} is not in the store`;
  const bytes = Buffer.concat(await Array.fromAsync(stored.body as AsyncIterable<Buffer>)); // object streams yield buffers
  if (createHash('sha256').update(bytes).digest('hex') !== image.sha256)
    return `the hash of ${image.key} does not match`;
  const found = pngSize(bytes);
  const promised = pixels(model, aspectRatio, resolution);
  if (found?.width !== promised.width || found.height !== promised.height) {
    return `${image.key} has ${found?.width} × ${found?.height} pixels instead of ${promised.width} × ${promised.height}`;
  }
  return undefined;
}
