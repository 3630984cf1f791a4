import type { Tx } from '../../../base/db/schema.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { invalidField } from '../../../errors.ts';
import { replaceText } from '../secrets/secret-store.ts';
import { isBucket } from './bucket-target.ts';

/** A bucket's access key. It is sealed like signing secrets, and never shown again. */
export interface BucketKey {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface BucketKeyJson {
  access_key_id: string;
  secret_access_key: string;
}

export async function writeBucketKey(
  tx: Tx,
  sealer: Sealer,
  endpointId: string,
  { access_key_id: accessKeyId, secret_access_key: secretAccessKey }: BucketKeyJson,
): Promise<void> {
  await replaceText(tx, sealer, endpointId, JSON.stringify({ accessKeyId, secretAccessKey }));
}

/** Undefined if no secret could be opened. */
export function readBucketKey([text]: readonly string[]): BucketKey | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as BucketKey); // written by `writeBucketKey`
}

export function assertKeyFits(url: string, key: BucketKeyJson | undefined, isNew: boolean): void {
  if (!isBucket(url) && key) throw invalidField('/credentials', 'is only for s3:// addresses.');
  if (isBucket(url) && !key && isNew)
    throw invalidField('/credentials', 'is missing: a bucket needs an access key that may put objects.');
}
