import type { Database } from '../../base/db/database.ts';
import type { Changes } from '../../base/db/open-changes.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Log } from '../../base/std/log.ts';
import type { Sealer } from '../../base/std/sealer.ts';
import { invalidField } from '../../errors.ts';
import { readBalance } from '../../money/ledger/ledger-store.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { hintOf, type KeptKeys, keysRevision, openKeySealer, readKeys } from './payment-keys.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { findPaid } from './payment-store.ts';
import type { Books, StripeKeys, StripeSettings } from './stripe/stripe.ts';
import type { Lacking } from './stripe/try-stripe.ts';

export interface PaymentSettings {
  /** Keys from the environment take precedence over those saved in the panel. */
  keys: StripeKeys | null;
  stripe: Omit<StripeSettings, keyof StripeKeys>;
  amountsMicros: readonly bigint[];
  leastMicros: bigint;
  mostMicros: bigint;
}

export interface Payments extends Omit<PaymentSettings, 'stripe' | 'keys'> {
  provider: PaymentProvider;
  keysFrom: 'environment' | 'panel';
  hint: string;
  /** The Stripe permissions that top-ups need and the key lacks. If there are any, top-ups are not offered. */
  lacks: readonly string[];
}

export function assertPayable({ leastMicros, mostMicros }: Payments, amountMicros: bigint): void {
  if (amountMicros < leastMicros || amountMicros > mostMicros)
    throw invalidField(
      '/amount',
      `must be from ${formatMicros(leastMicros)} to ${formatMicros(mostMicros)}.`,
    );
}

/** The payment settings, which operators can change while the server runs. */
export interface PaymentSource {
  /** The settings, at most a second old; null if payments are off. */
  current(): Payments | null;
}

export interface LivePayments extends PaymentSource {
  keySealer: Sealer;
  /** Whether saved cards can be charged: false if Stripe Tax is on. */
  chargesCards: boolean;
  /** @throws AppError `invalid_request` for keys that Stripe refuses; `payments_unavailable` */
  tryKeys(keys: StripeKeys): Promise<Lacking>;
}

/** Follows the keys that operators enter in the panel, unless the environment sets keys. */
export async function openPayments(
  settings: PaymentSettings,
  {
    database,
    changes,
    secrets,
    log,
  }: { database: Database; changes: Changes; secrets: readonly string[]; log: Log },
): Promise<LivePayments> {
  const keySealer = await openKeySealer(secrets, database, log);
  let current: Payments | null = null;
  const read = async () => {
    current = await findPayments(settings, { queries: database.read, sealer: keySealer, log });
  };
  if (settings.keys) await read();
  else await changes.follow({ revision: keysRevision, read });
  const chargesCards = !settings.stripe.taxes;
  return {
    keySealer,
    current: () => current,
    chargesCards,
    async tryKeys(keys) {
      const { tryStripe } = await import('./stripe/try-stripe.ts');
      return tryStripe({ ...settings.stripe, ...keys }, { chargesCards });
    },
  };
}

/** Loads the provider's library only if payments are on. */
export async function findPayments(
  { keys: given, stripe, ...amounts }: PaymentSettings,
  { queries, sealer, log }: { queries: Queries; sealer: Pick<Sealer, 'open'>; log: Log },
): Promise<Payments | null> {
  const keys: KeptKeys | 'sealed' | null = given ?? (await readKeys(queries, sealer));
  if (keys === null || keys === 'sealed') return null;
  const { createStripe } = await import('./stripe/stripe.ts');
  const provider = createStripe({ ...stripe, ...keys }, booksOf(queries), log);
  // With Stripe Tax, `cards` is null: there are no top-ups, so the permissions that the key lacks for them do not
  // matter.
  const lacks = provider.cards ? (keys.lacks ?? []) : [];
  return {
    ...amounts,
    ...{ lacks, provider: lacks.length > 0 ? { ...provider, cards: null } : provider },
    keysFrom: given ? 'environment' : 'panel',
    hint: hintOf(keys.secretKey),
  };
}

function booksOf(queries: Queries): Books {
  return {
    findPaid: (reference) => findPaid(queries, reference),
    hasAccount: async (accountId) => (await readBalance(queries, accountId)) !== undefined,
  };
}
