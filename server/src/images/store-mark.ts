import { text } from 'node:stream/consumers';
import { type ImageStore, StoreError } from './image-store.ts';

/** Names the installation that owns a store. It is stored among the images, so that a copied database finds it too. */
export interface StoreMark {
  installation: string;
  /** The newest job of each copy of the database that uses the store. */
  jobs: string[];
}

const key = 'installation.json';

/** @throws StoreError if the object is not a valid mark */
export async function readMark(store: ImageStore): Promise<StoreMark | undefined> {
  const found = await store.get(key);
  if (!found) return undefined;
  const content = await text(found.body);
  try {
    const { installation, jobs } = JSON.parse(content) as StoreMark; // checked in the next lines
    if (typeof installation === 'string' && jobs.every((job) => typeof job === 'string'))
      return { installation, jobs };
  } catch {}
  throw new StoreError(`${key} in the image store cannot be read`);
}

export async function writeMark(store: ImageStore, mark: StoreMark): Promise<void> {
  const body = Buffer.from(`${JSON.stringify(mark)}\n`);
  await store.put(key, body, { mediaType: 'application/json', bytes: body.length });
}
