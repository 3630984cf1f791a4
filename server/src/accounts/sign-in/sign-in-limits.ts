import { hash } from 'node:crypto';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { networkOf } from '../../base/std/networks/network-of.ts';
import { AppError } from '../../errors.ts';
import { giveTryBack, type Limit, takeTry } from './sign-in-limit-store.ts';

// Three limits slow down failed sign-ins, and none can lock everyone out:
// - per client address, so that one machine cannot guess at many accounts;
// - per email, so that many machines cannot guess at one account, while its owner waits at most a few seconds;
// - or, instead of both, per device, for a browser that has signed in as this person before.
// Operators' one-time links have 256 random bits and need no limit. Emailed links are limited per client address when
// they set a password, which is slow to hash.
const perAddress = { burst: 20, everyMs: 30_000 };
const perEmail = { burst: 10, everyMs: 5_000 };
const perDevice = { burst: 10, everyMs: 30_000 };

export interface Try {
  /** Each kind is counted separately. */
  kind: 'password' | 'code' | 'oidc' | 'passkey' | 'mailed_link';
  address: string;
  /** The email address, or the person's id; null if only the identity provider or a passkey identifies the person. */
  who: string | null;
  /** The id of the person's device cookie, if nobody else's password or code is tried. */
  device: string | null;
}

/**
 * Takes one of the allowed attempts, and gives it back if `work` succeeds.
 * @throws AppError `too_many_requests`, and the errors of `work`
 */
export async function withinLimits<T>(database: Database, attempt: Try, work: () => Promise<T>): Promise<T> {
  const limits = limitsOf(attempt);
  const waitMs = await database.transaction((tx) => takeTries(tx, limits));
  if (waitMs > 0) {
    throw new AppError(
      'too_many_requests',
      'Too many wrong tries. Wait a moment, or ask an operator for a one-time link.',
      {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      },
    );
  }
  const result = await work();
  await database.transaction(async (tx) => {
    for (const limit of limits) await giveTryBack(tx, limit);
  });
  return result;
}

/** Takes a try from each limit. If a limit has none left, takes nothing and returns the milliseconds to wait. */
async function takeTries(tx: Tx, limits: readonly Limit[]): Promise<number> {
  for (const [index, limit] of limits.entries()) {
    const wait = await takeTry(tx, limit);
    if (wait === 0) continue;
    for (const taken of limits.slice(0, index)) await giveTryBack(tx, taken);
    return wait;
  }
  return 0;
}

function limitsOf({ kind, address, who, device }: Try): Limit[] {
  if (device !== null) return [{ id: limitIdOf(kind, 'device', device), ...perDevice }];
  const byAddress = { id: limitIdOf(kind, 'address', networkOf(address)), ...perAddress };
  return who === null ? [byAddress] : [byAddress, { id: limitIdOf(kind, 'who', who), ...perEmail }];
}

/** Hashes the parts, so that a copy of the database does not show who tried to sign in from where. */
export function limitIdOf(...parts: string[]): string {
  return hash('sha256', parts.join('\n'), 'base64url');
}
