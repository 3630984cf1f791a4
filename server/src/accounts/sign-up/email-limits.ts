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

/*
 * What strangers cause to be sent. Each kind has its own counts, so that a flood of sign-ups keeps nobody from a
 * new password:
 * - per network, so that one machine cannot write to many people;
 * - per address, whichever of its spellings, so that many machines cannot fill one mailbox. Beyond it nothing is sent,
 *   and the answer is the same. Nobody is locked out that way: one more is sent in the time in which a link works
 *   (`describe-email.ts`), so that the mailbox has one;
 * - in all, whatever the flood: a mail server that sends more than this at once is taken for a sender of spam. Only
 *   what is sent counts.
 */
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

/**
 * Takes a try of somebody who signs up without an email, in both counts of those who ask for one.
 *
 * @throws AppError `too_many_requests`
 */
export async function takeSignUpTry(tx: Tx, clientAddress: string): Promise<void> {
  await takeNetworkTry(tx, 'sign_up', clientAddress);
  assertFew(await takeTry(tx, { id: limitIdOf('sign_up', 'all'), ...inAll }));
}

/**
 * Sends an email unless its address has had enough; null where there is nothing to send, which looks the same.
 *
 * @throws AppError `too_many_requests` where all emails together are too many
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

/** The limit of opening a link from an email: its holder could otherwise have passwords hashed without end. */
export function mailedLinkTry(clientAddress: string): Try {
  return { kind: 'mailed_link', address: clientAddress, who: null, device: null };
}

function assertFew(waitMs: number): void {
  if (waitMs > 0)
    throw new AppError('too_many_requests', 'This was asked for too often. Wait, and try again.', {
      retryAfterSeconds: Math.ceil(waitMs / second),
    });
}
