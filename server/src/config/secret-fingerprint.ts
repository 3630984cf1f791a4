import { pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queries, Tx } from '../base/db/schema.ts';
import { claimSetting, readSetting, writeSetting } from '../base/db/settings-store.ts';

/** Tells the secret with which this database seals from any other. */
const setting = 'secret_fingerprint';
const saltBytes = 16;
const hashBytes = 32;
// About 30 ms: a start hardly notices it, before it serves anybody, and whoever guesses secrets by a stolen database does. Not scrypt:
// freeing its 16 MB makes the allocator keep blocks of that size ever after, 75 MB more of a process that makes large images.
const rounds = 50_000;

/** Slow and with a salt of its own, so that it helps nobody to guess the secret. */
export function makeFingerprint(secret: string): string {
  const salt = randomBytes(saltBytes);
  return [salt, hashOf(secret, salt)].map((bytes) => bytes.toString('base64url')).join('.');
}

/** Whether one of these secrets has this fingerprint. */
export function hasFingerprint(fingerprint: string, secrets: readonly string[]): boolean {
  const [salt, hash] = fingerprint.split('.').map((text) => Buffer.from(text, 'base64url'));
  if (!salt || hash?.length !== hashBytes) return false;
  return secrets.some((secret) => timingSafeEqual(hash, hashOf(secret, salt)));
}

/** Undefined in a database from before there were fingerprints. */
export function readFingerprint(queries: Queries): Promise<string | undefined> {
  return readSetting(queries, setting);
}

/** Returns false when there is one. */
export function claimFingerprint(tx: Tx, fingerprint: string): Promise<boolean> {
  return claimSetting(tx, setting, fingerprint);
}

export function writeFingerprint(tx: Tx, fingerprint: string): Promise<void> {
  return writeSetting(tx, setting, fingerprint);
}

// A start asks for the same hash three times: before it changes the schema, when it opens the secrets, and once all is sealed with
// the current one.
let last: { secret: string; salt: Buffer; hash: Buffer } = {
  secret: '',
  salt: Buffer.alloc(0),
  hash: Buffer.alloc(0),
};

function hashOf(secret: string, salt: Buffer): Buffer {
  if (last.secret !== secret || !last.salt.equals(salt))
    last = { secret, salt, hash: pbkdf2Sync(secret, salt, rounds, hashBytes, 'sha512') };
  return last.hash;
}
