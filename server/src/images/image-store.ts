import type { Readable } from 'node:stream';

/**
 * Stores results and inputs. Darkroom creates the keys, such as `results/0197c3a/0197…-1.png`: lower-case letters,
 * digits, `-`, `.`, `/`, at most 200 characters, no empty or dot segments, and no key is a folder of another. Other
 * keys throw `TypeError`. Failures throw `StoreError`, whose message never has a credential. A missing object is
 * `undefined`.
 */
export interface ImageStore {
  /** `disk` or `s3`, for logs and status. */
  readonly kind: string;
  /**
   * Writes the whole object durably, or nothing. Replaces an existing object. Always consumes or destroys the body.
   * @throws StoreError if the body's length is not `info.bytes`, and errors of the body
   */
  put(key: string, body: Uint8Array | Readable, info: PutInfo): Promise<void>;
  get(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /** A missing object is not an error. */
  remove(key: string): Promise<void>;
  /** Lists every object whose key starts with `prefix` (empty, or a key that may end in `/`), in any order. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Writes, reads and removes a small object. @throws StoreError */
  check(): Promise<void>;
  /** Removes objects left by interrupted writes and checks. Returns their number. */
  sweep(): Promise<{ removed: number }>;
  [Symbol.asyncDispose]?(): Promise<void>;
}

export interface PutInfo {
  mediaType: string;
  bytes: number;
  /** True if nobody reads the key before `put` returns. If the process dies, the object may stay half written. */
  isNew?: true;
  /** True for an object that can be made again. A power cut may lose it, but never leaves it half written. */
  canBeLost?: true;
}

/** `last` is included. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface StoredObject {
  bytes: number;
  /** Read this to its end or destroy it, to free a file or connection. Emits an error if the store fails midway. */
  body: Readable;
}

export interface ListedObject {
  key: string;
  bytes: number;
  modifiedMs: number;
}

export class StoreError extends Error {
  override name = 'StoreError';
  /** The HTTP status of the store's answer; null without one. */
  readonly status: number | null;

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.status = status ?? null;
  }
}

/** The store is unreachable or full. A later try may succeed. */
export class StoreUnavailable extends StoreError {}

const keyPattern = /^[a-z0-9-][a-z0-9.-]*(\/[a-z0-9-][a-z0-9.-]*)*$/;
const maxKeyLength = 200;

export function assertKey(key: string): void {
  if (key.length > maxKeyLength || !keyPattern.test(key))
    throw new TypeError(`not an image key: ${JSON.stringify(key)}`);
}
