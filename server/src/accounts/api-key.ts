import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

// dk_ + 32 base62 characters (190 bits) + 6 characters of CRC-32, by which a mistyped key is refused without a query.
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 32;
const checksumLength = 6;
const pattern = new RegExp(`^dkc?_[0-9A-Za-z]{${secretLength + checksumLength}}$`);
const adminPattern = new RegExp(`^dka_[0-9A-Za-z]{${secretLength + checksumLength}}$`);
const tokenPrefix = 'dkc_';

export function makeApiKey(): string {
  return make('dk_');
}

export function makeClientToken(): string {
  return make(tokenPrefix);
}

export function makeAdminKey(): string {
  return make('dka_');
}

export function isClientToken(text: string): boolean {
  return text.startsWith(tokenPrefix);
}

function make(prefix: string): string {
  let body = prefix;
  for (let i = 0; i < secretLength; i++) body += alphabet[randomInt(alphabet.length)];
  return body + checksum(body);
}

export function isWellFormedKey(text: string): boolean {
  return pattern.test(text) && hasItsChecksum(text);
}

export function isWellFormedAdminKey(text: string): boolean {
  return adminPattern.test(text) && hasItsChecksum(text);
}

function hasItsChecksum(text: string): boolean {
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** Keys are random, so a fast hash is as safe as a slow one. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The first and last characters, enough to tell keys apart and too few to use one. */
export function hintOf(key: string): string {
  return `${key.slice(0, 7)}…${key.slice(-4)}`;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
