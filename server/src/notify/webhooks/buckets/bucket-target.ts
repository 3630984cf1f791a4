import { invalidField } from '../../../errors.ts';
import { addressOf } from '../../../images/s3/s3-client.ts';
import { type Bucket, parseBucket } from '../../../images/storage-url.ts';

// A bucket is an endpoint to which results are copied: `s3://bucket/prefix?region=…&endpoint=https://…`
const scheme = 's3://';

export function isBucket(url: string): boolean {
  return url.startsWith(scheme);
}

export function readBucket(url: string): Bucket {
  return parseBucket(url, (what) => invalidField('/url', `${what}.`));
}

/** Returns the URL of a bucket's server. Any other URL is returned unchanged. @throws AppError `invalid_request` */
export function reachedAt(url: string): string {
  return isBucket(url) ? addressOf(readBucket(url), '') : url;
}

/** Returns the only part of a URL that may be logged: receivers often put a secret in the path. */
export function originOf(url: string): string {
  const { origin, host } = new URL(url);
  return isBucket(url) ? scheme + host : origin;
}

/** Hides path and query, in which receivers often put a secret. Addresses of buckets and emails contain no secret. */
export function hideTarget(url: string): string {
  if (!/^https?:/.test(url)) return url;
  const { origin, pathname, search, hash } = new URL(url);
  return pathname === '/' && search === '' && hash === '' ? origin : `${origin}/…`;
}
