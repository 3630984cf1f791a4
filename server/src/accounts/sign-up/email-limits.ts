import type { Tx } from '../../base/db/schema.ts';
import { networkOf } from '../../base/std/networks/network-of.ts';
import { AppError } from '../../errors.ts';
import type { Limit } from '../sign-in/sign-in-limit-store.ts';
import { limitIdOf, takeTries } from '../sign-in/sign-in-limits.ts';
import { normalAddress } from './normal-address.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/*
 * What strangers cause to be sent. Each kind has its own counts, so that a flood of sign-ups keeps nobody from a
 * new password:
 * - per network, so that one machine cannot write to many people;
 * - per address, whichever of its spellings, so that many machines cannot fill one mailbox: six a day at most;
 * - in all, whatever the flood: a mail server that sends more than this at once is taken for a sender of spam.
 */
const perNetwork = { burst: 10, everyMs: 6 * minute };
const perAddress = { burst: 3, everyMs: 8 * hour };
const inAll = { burst: 100, everyMs: 10 * second };

type Kind = 'sign_up' | 'password_reset';

/** @throws AppError `too_many_requests` */
export function takeNetworkTry(tx: Tx, kind: Kind, clientAddress: string): Promise<void> {
  return take(tx, [{ id: limitIdOf(kind, 'network', networkOf(clientAddress)), ...perNetwork }]);
}

/** The same whether the address is known here or not. @throws AppError `too_many_requests` */
export function takeAddressTry(tx: Tx, kind: Kind, email: string): Promise<void> {
  return take(tx, [
    { id: limitIdOf(kind, 'email', normalAddress(email)), ...perAddress },
    { id: limitIdOf(kind, 'all'), ...inAll },
  ]);
}

async function take(tx: Tx, limits: readonly Limit[]): Promise<void> {
  const waitMs = await takeTries(tx, limits);
  if (waitMs > 0)
    throw new AppError('too_many_requests', 'This was asked for too often. Wait, and try again.', {
      retryAfterSeconds: Math.ceil(waitMs / second),
    });
}
