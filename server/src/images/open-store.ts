import { join } from 'node:path';
import type { ImageStore } from './image-store.ts';
import type { Storage } from './storage-url.ts';

interface Options {
  storage: Storage;
  dataDir: string;
  aws: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null;
}

/** Opens the configured store; the client of the other kind is never loaded. @throws StoreError, TypeError */
export async function openStore({ storage, dataDir, aws }: Options): Promise<ImageStore> {
  if (storage.kind === 'disk') {
    return (await import('./disk-store.ts')).openDiskStore(storage.folder ?? join(dataDir, 'images'));
  }
  if (!aws)
    throw new TypeError(
      'DARKROOM_STORAGE is an S3 bucket, so AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set.',
    );
  return (await import('./s3-store.ts')).openS3Store({ ...storage, credentials: aws });
}
