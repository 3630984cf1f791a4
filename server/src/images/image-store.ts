import type { Readable } from 'node:stream';

/**
 * Where images are kept: results and inputs. Disk and S3 pass the same conformance test.
 *
 * Keys are made by us, such as `results/0197…/1.png`: lower-case letters, digits, `-`, `.`, `/`, at most 200
 * characters, no empty or dot segments, and no key is the folder of another. Any other key throws `TypeError`. What
 * fails for the store's own reasons throws `StoreError`, whose message never holds a credential; an object that is not
 * there is `undefined`, never an error.
 */
export interface ImageStore {
  /** `disk` or `s3`, for logs and status. */
  readonly kind: string;
  /**
   * Writes all of it, durably, or nothing: readers never see half an object. Replaces what was there. A body of more or
   * fewer bytes than `info.bytes` is a `StoreError`; a body that fails of itself throws its own error. Whatever
   * happens, the body is used up or destroyed.
   */
  put(key: string, body: Uint8Array | Readable, info: { mediaType: string; bytes: number }): Promise<void>;
  /** All of an object, or a range of it, which lies within the object. */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /** Removing what is not there is fine. */
  remove(key: string): Promise<void>;
  /** Every object whose key starts with `prefix` (empty, or a key that may end in `/`), in no promised order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Writes, reads and removes a small object; throws `StoreError` when that cannot be done. */
  check(): Promise<void>;
  /** Removes what interrupted writes and checks left behind; says how many. */
  sweep(): Promise<{ removed: number }>;
  [Symbol.asyncDispose]?(): Promise<void>;
}

/** Bytes of an object, counted from 0; the last one belongs to it. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface StoredObject {
  /** Of `body`. */
  bytes: number;
  /** Read it to its end or destroy it: it holds a file or a connection. It errors when the store breaks off. */
  body: Readable;
}

export interface ListedObject {
  key: string;
  bytes: number;
  modifiedMs: number;
}

export class StoreError extends Error {
  override name = 'StoreError';
}

/** A failure that a later try may not have: the store is away, or has no room. */
export class StoreUnavailable extends StoreError {}

const keyPattern = /^[a-z0-9-][a-z0-9.-]*(\/[a-z0-9-][a-z0-9.-]*)*$/;
const maxKeyLength = 200;

export function assertKey(key: string): void {
  if (key.length > maxKeyLength || !keyPattern.test(key))
    throw new TypeError(`not an image key: ${JSON.stringify(key)}`);
}
