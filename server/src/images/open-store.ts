import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsSettings } from '../base/aws/aws-settings.ts';
import type { Log } from '../base/std/log.ts';
import { SettingError } from '../errors.ts';
import { type ImageStore, StoreUnavailable } from './image-store.ts';
import { noBucketCredentials, type Storage } from './storage-url.ts';

interface Options {
  storage: Storage;
  dataDir: string;
  aws: AwsSettings | null;
}

// A working store needs only a fraction of this time.
const checkPatienceMs = 5_000;

/**
 * Reports a wrong bucket, key or folder at startup, not in the first job. The server starts even if the store is
 * unreachable or full, because calls without images work and jobs are retried.
 * @throws StoreError, SettingError
 */
export async function openCheckedStore(options: Options, log: Log): Promise<ImageStore> {
  const store = await openStore(options);
  const checked = store.check().catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) throw error;
    log.error('storage.unavailable', { error: error.message });
  });
  try {
    await Promise.race([checked, sleep(checkPatienceMs, undefined, { ref: false })]);
  } catch (error) {
    await store[Symbol.asyncDispose]?.();
    throw error;
  }
  checked.catch((error: Error) => log.error('storage.unavailable', { error: error.message }));
  return store;
}

/** Loads only the client for the store's kind. @throws StoreError, SettingError */
export async function openStore({ storage, dataDir, aws }: Options): Promise<ImageStore> {
  if (storage.kind === 'disk') {
    return (await import('./disk/disk-store.ts')).openDiskStore(storage.folder ?? join(dataDir, 'images'));
  }
  if (!aws) throw new SettingError(noBucketCredentials);
  const { createCredentials } = await import('../base/aws/credential-source.ts');
  return (await import('./s3/s3-store.ts')).openS3Store({ ...storage, credentials: createCredentials(aws) });
}
