import { readNow } from '../../../base/db/rows.ts';
import type { Log } from '../../../base/std/log.ts';
import type { CardCharger, PaymentProvider } from '../payment-provider.ts';
import { settleNoted } from '../settle-noted.ts';
import type { SettleDeps } from '../settle-payment.ts';
import { claimTopUp, monthStartOf } from './claim-top-up.ts';
import {
  claimUnanswered,
  isStillWanted,
  listLowAccounts,
  listUnanswered,
  type OpenCharge,
} from './top-up-store.ts';

/** The maximum number of accounts per round; the next round takes the others. */
const most = 10;
/** How long one process owns an unanswered charge: longer than the provider takes to answer, including retries. */
const leaseMs = 10 * 60_000;
/** For a day, Stripe answers a repeated request without another charge. This is an hour less, because clocks differ. */
const repeatableMs = 23 * 60 * 60_000;

export interface TopUpDeps extends Omit<SettleDeps, 'provider'> {
  currency: string;
  log: Log;
  /** Called after each requested charge, because the provider may already have an event about it. */
  onAsked(): void;
}

type Charging = TopUpDeps & { provider: Pick<PaymentProvider, 'name' | 'title'>; cards: CardCharger };

/** Tops accounts up. Repeats charges without a result, because a process may have died before the request. */
export async function topUpAccounts(deps: Charging): Promise<void> {
  const { database } = deps;
  const monthStart = monthStartOf(await readNow(database.read));
  const [unanswered, low] = await Promise.all([
    listUnanswered(database.read, { leaseMs, limit: most }),
    listLowAccounts(database.read, { monthStart, limit: most }),
  ]);
  await Promise.all([
    ...unanswered.map((charge) => askAgain(deps, charge)),
    ...low.map((accountId) => topUp(deps, accountId)),
  ]);
}

async function topUp(deps: Charging, accountId: string): Promise<void> {
  const { database, provider, log } = deps;
  const { decision, charge } = await claimTopUp(database, { accountId, provider: provider.name });
  log.debug('top_up.decided', { account: accountId, decision });
  if (charge) await ask(deps, charge);
}

async function askAgain(deps: Charging, charge: OpenCharge): Promise<void> {
  const { database, cards, currency } = deps;
  const { paymentId } = charge;
  if (!(await database.transaction((tx) => claimUnanswered(tx, paymentId, leaseMs)))) return;
  const ageMs = (await readNow(database.read)) - charge.createdAt;
  if (ageMs < repeatableMs && (await isStillWanted(database.read, charge))) return ask(deps, charge);
  // A repeated request could charge a second time at this age, or charge what the account no longer wants.
  const wasCharged = await cards.wasCharged({ ...charge, currency }).catch(() => true);
  if (wasCharged) deps.onAsked();
  else await settleNoted(deps, { kind: 'failed', paymentId });
}

async function ask(deps: Charging, charge: OpenCharge): Promise<void> {
  const { cards, currency, log } = deps;
  const { paymentId, accountId } = charge;
  try {
    const answer = await cards.charge({ ...charge, currency });
    log.info('top_up.asked', { account: accountId, payment: paymentId, answer });
    if (answer === 'asked') deps.onAsked();
    else await settleNoted(deps, { kind: 'failed', paymentId, refusal: answer });
  } catch (error) {
    // The next round repeats the request.
    log.warn('top_up.not_asked', { account: accountId, payment: paymentId, reason: String(error) });
  }
}
