import { readNow } from '../../base/db/rows.ts';
import { readSetting, writeSetting } from '../../base/db/settings-store.ts';
import type { Log } from '../../base/std/log.ts';
import { startLoop } from '../../base/std/loop.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { type SettleDeps, settlePayment } from './settle-payment.ts';

const everyMs = 60 * 60_000;
/** What happened while the last list was made, and clocks that differ. */
const overlapMs = 60 * 60_000;
/** Stripe keeps what happened for so long. */
const mostMs = 30 * 24 * 60 * 60_000;

/**
 * Settles what the provider says that happened, whether its messages came or not: when the process starts, and every hour. Any number
 * of processes may do so.
 */
export function followPayments({
  log,
  ...deps
}: SettleDeps & { provider: PaymentProvider; log: Log }): AsyncDisposable {
  const { database, provider } = deps;
  const name = `payments.${provider.name}.listed`;
  return startLoop({
    everyMs,
    onError: (error) => log.warn('payments.not_listed', { provider: provider.name, reason: String(error) }),
    async runOnce(signal) {
      const began = await readNow(database.read);
      const last = Number((await readSetting(database.read, name)) ?? began - mostMs);
      for await (const event of provider.listSince(Math.max(last - overlapMs, began - mostMs))) {
        signal.throwIfAborted();
        await settlePayment(deps, event);
      }
      await database.transaction((tx) => writeSetting(tx, name, String(began)));
      return false;
    },
  });
}
