import type { Readable } from 'node:stream';

/**
 * Stores results and inputs. Disk and S3 pass the same conformance test. Darkroom creates the keys, such as
 * `results/0197c3a/0197…-1.png`: lower-case letters, digits, `-`, `.`, `/`, at most 200 characters, without empty or
 * dot segments. No key is a folder of another. Any other key throws `TypeError`. Failures throw `StoreError`, whose
 * message never contains a credential. A missing object is `undefined`.
 */
export interface ImageStore {
  /** `disk` or `s3`, for logs and status. */
  readonly kind: string;
  /**
   * Writes the whole object durably or not at all. Replaces an existing object. A body whose length is not `info.bytes`
   * is a `StoreError`. An error of the body is thrown unchanged. The body is always consumed or destroyed.
   */
  put(key: string, body: Uint8Array | Readable, info: PutInfo): Promise<void>;
  /** Reads an object, or a range within it. */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /** Removing a missing object is not an error. */
  remove(key: string): Promise<void>;
  /** Lists every object whose key starts with `prefix` (empty, or a key that may end in `/`), in any order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Writes, reads and removes a small object; throws `StoreError` if that fails. */
  check(): Promise<void>;
  /** Removes objects left by interrupted writes and checks; returns their number. */
  sweep(): Promise<{ removed: number }>;
  [Symbol.asyncDispose]?(): Promise<void>;
}

export interface PutInfo {
  mediaType: string;
  bytes: number;
  /**
   * True for a key that is not read before `put` returns. The object may be written in place, and stay half written if
   * the process dies.
   */
  isNew?: true;
}

/** A byte range of an object, counted from 0; `last` is included. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface StoredObject {
  bytes: number;
  /**
   * The content. Read it to its end or destroy it, because it keeps a file or connection open. It errors if the store
   * fails midway.
   */
  body: Readable;
}

export interface ListedObject {
  key: string;
  bytes: number;
  modifiedMs: number;
}

export class StoreError extends Error {
  override name = 'StoreError';
  /** The status of the store's answer; null without one. */
  readonly status: number | null;

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.status = status ?? null;
  }
}

/** A failure that may not recur: the store is unreachable or full. */
export class StoreUnavailable extends StoreError {}

const keyPattern = /^[a-z0-9-][a-z0-9.-]*(\/[a-z0-9-][a-z0-9.-]*)*$/;
const maxKeyLength = 200;

export function assertKey(key: string): void {
  if (key.length > maxKeyLength || !keyPattern.test(key))
    throw new TypeError(`not an image key: ${JSON.stringify(key)}`);
}
