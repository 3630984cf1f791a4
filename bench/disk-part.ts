import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { batcher } from '../server/src/base/std/batcher.ts';
import { newId } from '../server/src/base/std/ids.ts';

// This file runs as a child process, so that the processor time it reports is spent only on storing images.
export interface PutOnDisk {
  perSecond: number;
  syncs: number;
  cpuMicros: number;
}

const seconds = 2;

const [way = '', bytes, atOnce, folder = ''] = process.argv.slice(2);
const image = Buffer.alloc(Number(bytes), 7);
let syncs = 0;
await countSyncs();
const put = await (way === 'append' ? appending() : storing());

const endsAt = performance.now() + seconds * 1000;
const cpuBefore = process.cpuUsage();
const syncsBefore = syncs;
const beganAt = performance.now();
let images = 0;
await Promise.all(
  Array.from({ length: Number(atOnce) }, async () => {
    for (; performance.now() < endsAt; images += 1) await put();
  }),
);
const perSecond = (images / (performance.now() - beganAt)) * 1000;
const { user, system } = process.cpuUsage(cpuBefore);
const measured: PutOnDisk = {
  perSecond,
  syncs: (syncs - syncsBefore) / images,
  cpuMicros: (user + system) / images,
};
process.send?.(measured);

/** Counts calls of Node's fsync functions. Must run before the store is loaded, which keeps references to them. */
async function countSyncs(): Promise<void> {
  const handle = await open(folder);
  const handles = Object.getPrototypeOf(handle) as Pick<FileHandle, 'sync' | 'datasync'>;
  await handle.close();
  for (const owner of [handles, fs] as Record<string, (...args: unknown[]) => unknown>[])
    for (const name of ['sync', 'datasync', 'fsync', 'fdatasync']) {
      const call = owner[name];
      if (!call) continue;
      owner[name] = function (this: unknown, ...args: unknown[]) {
        syncs += 1;
        return call.apply(this, args);
      };
    }
  syncBuiltinESMExports();
}

async function storing(): Promise<() => Promise<void>> {
  const { openDiskStore } = await import(join(way, 'server/src/images/disk/disk-store.ts'));
  const { resultKey } = await import(join(way, 'server/src/images/object-keys.ts'));
  const store = await openDiskStore(folder);
  const info = { mediaType: 'image/png', bytes: image.length, isNew: true };
  return () => store.put(resultKey(newId(Date.now()), 1), image, info);
}

/** Appends every image to one file, the fastest way to store images on a disk. */
async function appending(): Promise<() => Promise<void>> {
  const file = await open(join(folder, 'all'), 'w');
  const append = batcher(
    async (images: Buffer[]) => {
      await file.writev(images);
      await file.datasync();
      return images;
    },
    { maxBatch: 1_000 },
  );
  return async () => void (await append(image));
}
