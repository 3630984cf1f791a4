import { readNow } from '../../base/db/rows.ts';
import { readOrClaim, writeSetting } from '../../base/db/settings-store.ts';
import type { Log } from '../../base/std/log.ts';
import { type Loop, startLoop } from '../../base/std/loop.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import type { PaymentSource } from './open-payments.ts';
import { listedSetting } from './payment-store.ts';
import { settleNoted } from './settle-noted.ts';
import type { SettleDeps } from './settle-payment.ts';

const everyMs = 60 * 60_000;
/** How far listings overlap, because events arrive during a listing and clocks differ. */
const overlapMs = 60 * 60_000;
/** Stripe keeps events for 30 days. */
const mostMs = 30 * 24 * 60 * 60_000;

/** At startup and every hour, settles payments whose messages may not have arrived. Any process may do so. */
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
      // No payment was made here before the first listing, so the first listing begins now, even if it fails and is
      // repeated later.
      const last = Number(await readOrClaim(database, name, async () => String(began)));
      const events = provider.listSince(Math.max(last - overlapMs, began - mostMs))[Symbol.asyncIterator]();
      let failed = 0;
      for (;;) {
        // A hanging provider must not keep the process from stopping.
        const { value: event, done } = await orAborted(events.next(), signal);
        if (done) break;
        if (event.kind === 'unread') {
          failed += 1;
          const { name: unread, reason } = event;
          log.error('payment.event_unread', { provider: provider.name, event: unread, reason });
          continue;
        }
        await settleNoted({ ...deps, log }, event).catch((error: unknown) => {
          failed += 1;
          log.error('payment.not_settled', { provider: provider.name, event, reason: String(error) });
        });
      }
      // The stored time of the last listing advances only if every event was settled, so that the next listing includes
      // failed events.
      if (failed === 0) await database.transaction((tx) => writeSetting(tx, name, String(began)));
      return false;
    },
  });
}
