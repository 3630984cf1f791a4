import { randomBytes } from 'node:crypto';

/** UUID version 7 (RFC 9562). It sorts by creation time, so that inserts stay at the right edge of every index. */
export function newId(nowMs: number): string {
  const bytes = takeRandom(10);
  const time = Math.trunc(nowMs).toString(16).padStart(12, '0');
  const hex = bytes.toString('hex');
  const version = `7${hex.slice(0, 3)}`;
  const variant = ((bytes.readUInt8(2) & 0x3f) | 0x80).toString(16).padStart(2, '0') + hex.slice(6, 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${hex.slice(8, 20)}`;
}

export function newToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** The stored form of an id, which may be in upper case; undefined if the text is not an id. */
export function readId(text: string): string | undefined {
  return isUuid(text) ? text.toLowerCase() : undefined;
}

export function msOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

export function firstIdAt(ms: number): string {
  return `${timeOf(ms)}-0000-0000-000000000000`;
}

// The largest assumed difference between the time in an id and the creation time of its row. The id comes from the clock
// of a process, before it fetches inputs, and the creation time from the database's clock.
const maxSkewMs = 60 * 60 * 1000;

/** Returns an id above the ids of all rows created before this time of the database's clock. */
export function idBefore(ms: number): string {
  return firstIdAt(ms + maxSkewMs);
}

/** Returns an id that is not above the ids of any rows created at this time of the database's clock or later. */
export function idFrom(ms: number): string {
  return firstIdAt(ms - maxSkewMs);
}

export function lastIdAt(ms: number): string {
  return `${timeOf(ms)}-ffff-ffff-ffffffffffff`;
}

function timeOf(ms: number): string {
  const time = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0').slice(-12);
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

// One call to the CSPRNG serves many ids, because a call takes about as long as all other steps that make an id.
const pool = { bytes: Buffer.alloc(0), offset: 0 };
const poolBytes = 4096;

function takeRandom(count: number): Buffer {
  if (pool.offset + count > pool.bytes.length) {
    pool.bytes = randomBytes(poolBytes);
    pool.offset = 0;
  }
  const taken = pool.bytes.subarray(pool.offset, pool.offset + count);
  pool.offset += count;
  return taken;
}
