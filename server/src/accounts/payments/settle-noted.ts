import type { Log } from '../../base/std/log.ts';
import type { PaymentEvent } from './payment-provider.ts';
import { type SettleDeps, settlePayment } from './settle-payment.ts';

/** Settles an event. Alerts operators to money that belongs to no account. */
export async function settleNoted(
  { log, ...deps }: SettleDeps & { log: Log },
  event: PaymentEvent,
): Promise<void> {
  const outcome = await settlePayment(deps, event);
  const { name } = deps.provider;
  if (outcome === 'unclaimed') log.error('payment.unclaimed', { provider: name, event });
  else log.debug('payment.settled', { provider: name, kind: event.kind });
}
