import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import {
  claimSetting,
  deleteSetting,
  readSetting,
  replaceSetting,
  settingOf,
  writeSetting,
} from '../../base/db/settings-store.ts';
import type { Log } from '../../base/std/log.ts';
import { createSealer, type Sealer } from '../../base/std/sealer.ts';
import { AppError, invalidField } from '../../errors.ts';
import { listedSetting } from './payment-store.ts';
import type { StripeKeys } from './stripe/stripe.ts';
import type { Lacking } from './stripe/try-stripe.ts';
import { hasTopUps } from './top-ups/top-up-store.ts';

const purpose = 'darkroom payment keys';
const setting = 'payments.stripe.keys';
const owner = 'stripe';

export const keysRevision = settingOf(setting);

export function createKeySealer(secrets: readonly string[]): Sealer {
  return createSealer(secrets, purpose);
}

/** Seals the operators' keys again with the current secret, so that older secrets can be removed. */
export async function openKeySealer(
  secrets: readonly string[],
  database: Database,
  log: Log,
): Promise<Sealer> {
  const sealer = createKeySealer(secrets);
  await database.transaction(async (tx) => {
    const sealed = await readSetting(tx, setting);
    if (sealed === undefined || sealed.startsWith(sealer.currentPrefix)) return;
    const text = sealer.open(sealed, owner);
    if (text === undefined) log.warn('payment_keys.unreadable', {});
    else await replaceSetting(tx, setting, { from: sealed, to: sealer.seal(text, owner) });
  });
  return sealer;
}

/** Saved keys. `lacks` lists the permissions for top-ups that the key lacks; keys from before top-ups have no list. */
export type KeptKeys = StripeKeys & { lacks?: readonly string[] };

/** Reads the keys saved in the panel; null if there are none, `sealed` if the sealer cannot open them. */
export async function readKeys(
  queries: Queries,
  sealer: Pick<Sealer, 'open'>,
): Promise<KeptKeys | 'sealed' | null> {
  const sealed = await readSetting(queries, setting);
  if (sealed === undefined) return null;
  const text = sealer.open(sealed, owner);
  return text === undefined ? 'sealed' : (JSON.parse(text) as KeptKeys); // only saveKeys writes it
}

export interface KeyDeps {
  database: Database;
  currency: string;
  payments: {
    keySealer: Sealer;
    chargesCards: boolean;
    tryKeys(keys: StripeKeys): Promise<Lacking>;
  };
}

/** @throws AppError `invalid_request`, `payments_unavailable` */
export async function saveKeys(
  { database, currency, payments }: KeyDeps,
  keys: StripeKeys,
  by: Actor,
): Promise<void> {
  assertWellFormed(keys, currency);
  const { forPayments, forTopUps } = await payments.tryKeys(keys);
  const kept: KeptKeys = { ...keys, lacks: forTopUps };
  const sealed = payments.keySealer.seal(JSON.stringify(kept), owner);
  await database.transaction(async (tx) => {
    // This is read after the request to Stripe, which takes seconds, because an owner may save a card meanwhile.
    const areNeeded = payments.chargesCards && (await hasTopUps(tx));
    assertGranted([...forPayments, ...(areNeeded ? forTopUps : [])]);
    await writeSetting(tx, setting, sealed);
    // The first listing covers events from now on, even if it runs an hour later.
    await claimSetting(tx, listedSetting('stripe'), String(await readNow(tx)));
    const entry = { action: 'payment_keys.changed' as const, accountId: null, subject: null };
    await insertAuditEntry(tx, by, { ...entry, detail: { key: hintOf(keys.secretKey) } });
  });
  database.notify('models');
}

function assertWellFormed({ secretKey, webhookSecret }: StripeKeys, currency: string): void {
  if (!takesPayments(currency))
    throw new AppError('invalid_request', `Stripe takes no payments in "${currency}".`);
  if (!/^[sr]k_(test|live)_\w+$/.test(secretKey))
    throw invalidField(
      '/secret_key',
      'begins with sk_live_ or sk_test_, or with rk_ if it is a restricted key.',
    );
  if (!/^whsec_\S+$/.test(webhookSecret)) throw invalidField('/webhook_secret', 'begins with whsec_.');
}

function assertGranted(missing: readonly string[]): void {
  if (missing.length > 0)
    throw invalidField(
      '/secret_key',
      `may not ${missing.join(' and ')}. Grant that to the key in Stripe, or use another.`,
    );
}

/** Removes the keys: new payments are refused, and open ones are no longer credited. @throws AppError `not_found` */
export async function removeKeys({ database }: { database: Database }, by: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const sealed = await readSetting(tx, setting);
    // Of several concurrent calls, only one removes the keys, and only if they are unchanged.
    if (sealed === undefined || !(await deleteSetting(tx, setting, sealed)))
      throw new AppError('not_found', 'No Stripe keys were saved here, or they have just been changed.');
    const entry = { action: 'payment_keys.removed' as const, accountId: null, subject: null, detail: {} };
    await insertAuditEntry(tx, by, entry);
  });
  database.notify('models');
}

/** `sk_live_…h2Xa` */
export function hintOf(secretKey: string): string {
  return `${secretKey.slice(0, 'sk_live_'.length)}…${secretKey.slice(-4)}`;
}

export function takesPayments(currency: string): boolean {
  return /^[A-Z]{3}$/.test(currency);
}
