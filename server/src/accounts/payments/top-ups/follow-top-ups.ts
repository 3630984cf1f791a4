import { startLoop } from '../../../base/std/loop.ts';
import { orAborted } from '../../../base/std/or-aborted.ts';
import type { PaymentSource } from '../open-payments.ts';
import { type TopUpDeps, topUpAccounts } from './top-up-accounts.ts';

const everyMs = 2_000;

export function followTopUps({
  payments,
  ...deps
}: TopUpDeps & { payments: PaymentSource }): AsyncDisposable {
  return startLoop({
    everyMs,
    onError: (error) => deps.log.warn('top_ups.not_looked', { reason: String(error) }),
    async runOnce(signal) {
      const provider = payments.current()?.provider;
      if (!provider?.cards) return false;
      await orAborted(topUpAccounts({ ...deps, provider, cards: provider.cards }), signal);
      return false;
    },
  });
}
