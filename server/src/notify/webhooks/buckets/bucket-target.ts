import { invalidField } from '../../../errors.ts';
import { addressOf } from '../../../images/s3/s3-client.ts';
import { type Bucket, parseBucket } from '../../../images/storage-url.ts';

// `s3://bucket/prefix?region=…&endpoint=https://…`: a bucket is an endpoint to which results are copied.
const scheme = 's3://';

export function isBucket(url: string): boolean {
  return url.startsWith(scheme);
}

/** @throws AppError `invalid_request` */
export function readBucket(url: string): Bucket {
  return parseBucket(url, (what) => invalidField('/url', `${what}.`));
}

/** Returns the address, or for a bucket the URL of its server. @throws AppError `invalid_request` */
export function reachedAt(url: string): string {
  return isBucket(url) ? addressOf(readBucket(url), '') : url;
}

/** The part of an address that may be logged, because receivers often put a secret in the path. */
export function originOf(url: string): string {
  const { origin, host } = new URL(url);
  return isBucket(url) ? scheme + host : origin;
}

/**
 * Hides the path and query from people who manage accounts, because receivers often put a secret there. Addresses of
 * buckets and emails contain no secrets.
 */
export function hideTarget(url: string): string {
  if (!/^https?:/.test(url)) return url;
  const { origin, pathname, search, hash } = new URL(url);
  return pathname === '/' && search === '' && hash === '' ? origin : `${origin}/…`;
}
