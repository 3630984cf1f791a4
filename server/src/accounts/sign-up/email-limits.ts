import type { Tx } from '../../base/db/schema.ts';
import { networkOf } from '../../base/std/networks/network-of.ts';
import { AppError } from '../../errors.ts';
import { insertEmail, type OutgoingEmail } from '../people/outbox-store.ts';
import { giveTryBack, takeTry } from '../sign-in/sign-in-limit-store.ts';
import { limitIdOf, type Try } from '../sign-in/sign-in-limits.ts';
import { normalAddress } from './normal-address.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

// Limits on emails that strangers can cause, per kind, so that a flood of sign-ups blocks no password reset:
// - per network, so that one machine cannot write to many people;
// - per address in any spelling, so that many machines cannot fill one mailbox. Beyond this limit nothing is sent, but
// the answer is the same. A link lives until the next email may be sent (`describe-email.ts`);
// - in total, because a mail server that sends more in a short time is taken for a spammer. Only sent emails count.
const perNetwork = { burst: 10, everyMs: 6 * minute };
const perAddress = {
  sign_up: { burst: 3, everyMs: 8 * hour },
  password_reset: { burst: 3, everyMs: hour },
};
const inAll = { burst: 100, everyMs: 10 * second };

type Kind = keyof typeof perAddress;

/** @throws AppError `too_many_requests` */
export async function takeNetworkTry(tx: Tx, kind: Kind, clientAddress: string): Promise<void> {
  const id = limitIdOf(kind, 'network', networkOf(clientAddress));
  assertFew(await takeTry(tx, { id, ...perNetwork }));
}

/** Counts a sign-up that sends no email, per network and in total. @throws AppError `too_many_requests` */
export async function takeSignUpTry(tx: Tx, clientAddress: string): Promise<void> {
  await takeNetworkTry(tx, 'sign_up', clientAddress);
  assertFew(await takeTry(tx, { id: limitIdOf('sign_up', 'all'), ...inAll }));
}

/**
 * Sends an email unless its address has had too many. For null, sends nothing, which looks the same from outside.
 * @throws AppError `too_many_requests` if all addresses together have had too many
 */
export async function sendIfFew(tx: Tx, kind: Kind, email: OutgoingEmail | null): Promise<void> {
  const isSent =
    email !== null &&
    (await takeTry(tx, {
      id: limitIdOf(kind, 'email', normalAddress(email.email)),
      ...perAddress[kind],
    })) === 0;
  const all = { id: limitIdOf(kind, 'all'), ...inAll };
  assertFew(await takeTry(tx, all));
  if (isSent) await insertEmail(tx, email);
  else await giveTryBack(tx, all);
}

/** The limit on uses of emailed links, because each use hashes a password. */
export function mailedLinkTry(clientAddress: string): Try {
  return { kind: 'mailed_link', address: clientAddress, who: null, device: null };
}

function assertFew(waitMs: number): void {
  if (waitMs > 0)
    throw new AppError('too_many_requests', 'Too many requests for emails. Wait, and try again.', {
      retryAfterSeconds: Math.ceil(waitMs / second),
    });
}
