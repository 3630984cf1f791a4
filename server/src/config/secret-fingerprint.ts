import { pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queries, Tx } from '../base/db/schema.ts';
import { claimSetting, readSetting, writeSetting } from '../base/db/settings-store.ts';

/** The setting that identifies the secret with which this database is sealed. */
const setting = 'secret_fingerprint';
const saltBytes = 16;
const hashBytes = 32;
// The rounds take 30 ms, but make guessing expensive. scrypt would make the allocator keep 75 MB more.
const rounds = 50_000;

/** Creates a fingerprint. It is salted and slow to compute, so that it does not help to guess the secret. */
export function makeFingerprint(secret: string): string {
  const salt = randomBytes(saltBytes);
  return [salt, hashOf(secret, salt)].map((bytes) => bytes.toString('base64url')).join('.');
}

export function hasFingerprint(fingerprint: string, secrets: readonly string[]): boolean {
  const [salt, hash] = fingerprint.split('.').map((text) => Buffer.from(text, 'base64url'));
  if (!salt || hash?.length !== hashBytes) return false;
  return secrets.some((secret) => timingSafeEqual(hash, hashOf(secret, salt)));
}

/** Undefined in a database older than fingerprints. */
export function readFingerprint(queries: Queries): Promise<string | undefined> {
  return readSetting(queries, setting);
}

export function claimFingerprint(tx: Tx, fingerprint: string): Promise<boolean> {
  return claimSetting(tx, setting, fingerprint);
}

export function writeFingerprint(tx: Tx, fingerprint: string): Promise<void> {
  return writeSetting(tx, setting, fingerprint);
}

// Cached, because startup needs the same hash three times.
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
