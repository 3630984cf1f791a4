import type { Readable } from 'node:stream';

/**
 * Stores results and inputs. Disk and S3 pass the same conformance test. Darkroom creates the keys, such as
 * `results/0197c3a/0197…-1.png`: lower-case letters, digits, `-`, `.`, `/`, at most 200 characters, without empty or
 * dot segments. No key is a folder of another. Any other key throws `TypeError`. Failures of the store throw
 * `StoreError`, whose message never contains a credential. A missing object is `undefined`, never an error.
 */
export interface ImageStore {
  /** `disk` or `s3`, for logs and status. */
  readonly kind: string;
  /**
   * Writes the whole object durably or not at all: readers never see half an object. Replaces an existing object. A
   * body of more or fewer bytes than `info.bytes` is a `StoreError`; an error of the body itself is thrown unchanged.
   * The body is always consumed or destroyed.
   */
  put(key: string, body: Uint8Array | Readable, info: PutInfo): Promise<void>;
  /** Reads an object, or a range within it. */
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /** Removing a missing object is not an error. */
  remove(key: string): Promise<void>;
  /**
   * Lists every object whose key starts with `prefix` (empty, or a key that may end in `/`), in no particular order.
   */
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
   * True for a key that is not read before `put` returns, since a row names it only then. The object may be written in
   * place, and a process that dies may leave it half written.
   */
  isNew?: true;
}

/** A byte range of an object, counted from 0; `last` is included. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface StoredObject {
  /** The length of `body`. */
  bytes: number;
  /**
   * The content. Read it to its end or destroy it, because it keeps a file or a connection open. It errors if the store
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
  /** The status of the object store's answer; null without an answer. */
  readonly status: number | null;

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.status = status ?? null;
  }
}

/** A failure that may not occur on a later try: the store is unreachable or full. */
export class StoreUnavailable extends StoreError {}

const keyPattern = /^[a-z0-9-][a-z0-9.-]*(\/[a-z0-9-][a-z0-9.-]*)*$/;
const maxKeyLength = 200;

export function assertKey(key: string): void {
  if (key.length > maxKeyLength || !keyPattern.test(key))
    throw new TypeError(`not an image key: ${JSON.stringify(key)}`);
}
