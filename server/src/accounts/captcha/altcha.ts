import { pbkdf2, randomBytes, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { createSigner } from '../../base/std/sealing/create-signer.ts';
import { takeTry } from '../sign-in/sign-in-limit-store.ts';
import { limitIdOf } from '../sign-in/sign-in-limits.ts';

/** The puzzle for a browser: find the lowest counter whose derived key begins with `keyPrefix`. */
export interface Challenge {
  parameters: {
    algorithm: 'PBKDF2/SHA-256';
    cost: number;
    /** Unix seconds. */
    expiresAt: number;
    keyLength: number;
    keyPrefix: string;
    /** Hexadecimal, like the prefix and the salt. */
    nonce: string;
    salt: string;
  };
  signature: string;
}

// A browser derives 2,000 keys on average: half a second on a desktop, two to four seconds on a phone.
const cost = 2_000;
const leastCounter = 1_000;
const mostCounter = 3_000;
const keyBytes = 32;
const prefixBytes = 16;
const lifetimeMs = 10 * 60 * 1000;

const derive = promisify(pbkdf2);

/**
 * A proof of work that follows version 2 of Altcha's protocol, so that Altcha's widgets work:
 * https://github.com/altcha-org/altcha-lib. Altcha's own server library would bring frameworks, as optional peer
 * dependencies, into every installation.
 */
export function createAltcha(deps: { secrets: readonly string[]; database: Database; clock: Clock }): {
  challenge(): Promise<Challenge>;
  /** True if the token has a valid solution, has not expired and was not used before. */
  take(token: string): Promise<boolean>;
} {
  const { database, clock } = deps;
  const signer = createSigner(deps.secrets, 'darkroom altcha challenges');
  return {
    async challenge() {
      const nonce = randomBytes(16).toString('hex');
      const salt = randomBytes(16).toString('hex');
      const keyPrefix = await prefixOf(nonce, salt, randomInt(leastCounter, mostCounter));
      const expiresAt = Math.ceil((clock.nowMs() + lifetimeMs) / 1000);
      return {
        parameters: {
          ...{ algorithm: 'PBKDF2/SHA-256', cost, expiresAt, keyLength: keyBytes },
          ...{ keyPrefix, nonce, salt },
        },
        signature: signer.sign([nonce, salt, keyPrefix, String(expiresAt)]),
      };
    },
    async take(token) {
      const { nonce, salt, keyPrefix, expiresAt, signature, counter } = readToken(token);
      if (!signer.isRight(signature, [nonce, salt, keyPrefix, String(expiresAt)])) return false;
      if (expiresAt * 1000 <= clock.nowMs() || !isCounter(counter)) return false;
      if ((await prefixOf(nonce, salt, counter)) !== keyPrefix) return false;
      // Refuses a second use of the nonce until the challenge has expired by every server's clock. Then the row is
      // swept.
      const once = { id: limitIdOf('captcha', nonce), burst: 1, everyMs: 2 * lifetimeMs };
      return (await database.transaction((tx) => takeTry(tx, once))) === 0;
    },
  };
}

async function prefixOf(nonce: string, salt: string, counter: number): Promise<string> {
  const password = Buffer.concat([Buffer.from(nonce, 'hex'), Buffer.alloc(4)]);
  password.writeUInt32BE(counter, password.length - 4);
  const key = await derive(password, Buffer.from(salt, 'hex'), cost, keyBytes, 'sha256');
  return key.toString('hex', 0, prefixBytes);
}

/** The signed fields need no check of their values, because a valid signature proves that we wrote them. */
function readToken(token: string) {
  const { challenge, solution } = Object(parse(Buffer.from(token, 'base64').toString())) as Record<
    string,
    unknown
  >;
  const { parameters, signature } = Object(challenge) as Record<string, unknown>;
  const { nonce, salt, keyPrefix, expiresAt } = Object(parameters) as Record<string, unknown>;
  const { counter } = Object(solution) as Record<string, unknown>;
  return {
    ...{ nonce: textOf(nonce), salt: textOf(salt), keyPrefix: textOf(keyPrefix) },
    ...{ expiresAt: typeof expiresAt === 'number' ? expiresAt : 0, signature: textOf(signature), counter },
  };
}

/** Avoids `String`, which throws for an object such as `{"toString": 1}`. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isCounter(counter: unknown): counter is number {
  return Number.isInteger(counter) && Number(counter) >= 0 && Number(counter) < mostCounter;
}
