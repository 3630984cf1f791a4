import { readNow } from '../../base/db/rows.ts';
import { readSetting, writeSetting } from '../../base/db/settings-store.ts';
import type { Log } from '../../base/std/log.ts';
import { type Loop, startLoop } from '../../base/std/loop.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import type { PaymentSource } from './open-payments.ts';
import { listedSetting } from './payment-store.ts';
import { settleNoted } from './settle-noted.ts';
import type { SettleDeps } from './settle-payment.ts';

const everyMs = 60 * 60_000;
/** Covers what happened while the last list was made, and clocks that differ. */
const overlapMs = 60 * 60_000;
/** Stripe keeps what happened for so long. */
const mostMs = 30 * 24 * 60 * 60_000;

/**
 * Settles what the provider says that happened, whether its messages came or not: when the process starts, and every hour. Any number
 * of processes may do so.
 */
export function followPayments({
  log,
  payments,
  ...base
}: Omit<SettleDeps, 'provider'> & { payments: PaymentSource; log: Log }): Loop {
  const { database } = base;
  return startLoop({
    everyMs,
    onError: (error) =>
      log.warn('payments.not_listed', {
        provider: payments.current()?.provider.name ?? null,
        reason: String(error),
      }),
    async runOnce(signal) {
      const provider = payments.current()?.provider;
      if (!provider) return false;
      const deps = { ...base, provider };
      const name = listedSetting(provider.name);
      const began = await readNow(database.read);
      // Before the first list nothing was paid here.
      const last = Number((await readSetting(database.read, name)) ?? began);
      const events = provider.listSince(Math.max(last - overlapMs, began - mostMs))[Symbol.asyncIterator]();
      let failed = 0;
      for (;;) {
        // A provider that hangs does not keep the process from ending.
        const { value: event, done } = await orAborted(events.next(), signal);
        if (done) break;
        if (event.kind === 'unread') {
          failed += 1;
          const { name: unread, reason } = event;
          log.error('payment.event_unread', { provider: provider.name, event: unread, reason });
          continue;
        }
        await settleNoted({ ...deps, log }, event).catch((error: unknown) => {
          // What one event has against it must not keep the others from being settled.
          failed += 1;
          log.error('payment.not_settled', { provider: provider.name, event, reason: String(error) });
        });
      }
      // Asked for again until all of it is settled, and for as long as the provider keeps it.
      if (failed === 0) await database.transaction((tx) => writeSetting(tx, name, String(began)));
      return false;
    },
  });
}
