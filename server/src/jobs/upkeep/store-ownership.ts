import { randomUUID } from 'node:crypto';
import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { readMark, type StoreMark, writeMark } from '../../images/store-mark.ts';
import {
  ensureInstallationId,
  findAcceptedJobs,
  findNewestJob,
  renewInstallationId,
  writeStoreClaim,
} from './installation-store.ts';

interface Deps {
  database: Database;
  images: ImageStore;
}

/** Whether this database may remove images. A copy must not remove images that the original has stored since. */
export type Ownership = 'ours' | 'of another installation' | 'has jobs that are not in this database';

export interface StoreWatch {
  mayRemove(): Promise<boolean>;
  ownership: Ownership;
}

// The maximum number of jobs in the mark, which has one per database. Fewer databases share a store.
const maxJobs = 8;

export function watchOwnership({ log, ...deps }: Deps & { log: Log }): StoreWatch {
  const watch: StoreWatch = {
    ownership: 'ours',
    async mayRemove() {
      const before = watch.ownership;
      watch.ownership = await verifyOwnership(deps);
      if (watch.ownership !== before && watch.ownership !== 'ours')
        log.error('image_store.not_ours', { why: watch.ownership, next: 'darkroom adopt-store' });
      return watch.ownership === 'ours';
    },
  };
  return watch;
}

/**
 * Checks the store's mark. A copy of a database has its original's id, and only the newest jobs tell them apart. A
 * database that finds an unknown job in the mark adds its own newest job, so that both stop until an operator runs
 * `adopt-store`.
 */
export async function verifyOwnership({ database, images }: Deps): Promise<Ownership> {
  const mark = await readMark(images);
  const installation = await database.transaction((tx) => ensureInstallationId(tx, randomUUID()));
  const newest = await findNewestJob(database.read);
  const own = newest === undefined ? [] : [newest];
  if (!mark) {
    await database.transaction((tx) => writeStoreClaim(tx, true));
    await writeMark(images, { installation, jobs: own });
    return 'ours';
  }
  if (mark.installation !== installation) return 'of another installation';
  const accepted = await findAcceptedJobs(database.read, mark.jobs);
  const foreign = mark.jobs.filter((job) => !accepted.has(job));
  const isNew = newest !== undefined && mark.jobs.every((job) => foreign.includes(job) || job < newest);
  if (isNew) await writeMark(images, { installation, jobs: [...foreign, newest].slice(-maxJobs) });
  return foreign.length === 0 ? 'ours' : 'has jobs that are not in this database';
}

/** Claims the store. Other databases that shared it no longer remove images. */
export async function adoptStore(
  { database, images }: Deps,
  { unknown }: { unknown: 'keep' | 'remove' },
  by: Actor,
): Promise<StoreMark> {
  const installation = randomUUID();
  const newest = await database.transaction(async (tx) => {
    await renewInstallationId(tx, installation);
    await writeStoreClaim(tx, unknown === 'keep');
    await insertAuditEntry(tx, by, {
      action: 'image_store.adopted',
      accountId: null,
      subject: installation,
      detail: { unknown },
    });
    return findNewestJob(tx);
  });
  const mark = { installation, jobs: newest === undefined ? [] : [newest] };
  await writeMark(images, mark);
  return mark;
}
