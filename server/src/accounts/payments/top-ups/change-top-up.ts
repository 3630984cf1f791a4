import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import { AppError, invalidField } from '../../../errors.ts';
import { lockLiving } from '../../../money/ledger/lock-living.ts';
import { formatMicros, maxMicros } from '../../../money/ledger/money.ts';
import { assertAccountEnabled } from '../../disable-account.ts';
import { assertPayable, type Payments } from '../open-payments.ts';
import type { CardCharger } from '../payment-provider.ts';
import { countCharges, findTopUp, markCardGone, saveTopUp } from './top-up-store.ts';

export interface TopUpSettings {
  /** The available balance below which the card is charged. */
  thresholdMicros: bigint;
  amountMicros: bigint;
  monthMicros: bigint;
}

/** @throws AppError `invalid_request` without a card, during a dispute, and for amounts that cannot be charged */
export async function changeTopUp(
  deps: { database: Database; payments: Payments; cards: CardCharger; currency: string },
  { accountId, ...settings }: TopUpSettings & { accountId: string },
  by: Actor,
): Promise<void> {
  const { database } = deps;
  assertSettings(deps, settings);
  await assertAccountEnabled(database.read, accountId);
  await database.transaction(async (tx) => {
    await lockLiving(tx, accountId);
    const { card } = await findTopUp(tx, accountId);
    if (!card) throw new AppError('invalid_request', 'There is no card to charge. Save one first.');
    if ((await countCharges(tx, accountId, 0)).hasDispute)
      throw new AppError(
        'invalid_request',
        'A payment is disputed. Top-up can be turned on once the dispute is over.',
      );
    const { thresholdMicros, amountMicros, monthMicros } = settings;
    await saveTopUp(tx, accountId, {
      ...{ state: 'on', stopped_by: null, threshold_micros: thresholdMicros },
      ...{ amount_micros: amountMicros, month_micros: monthMicros },
    });
    const detail = {
      threshold: formatMicros(thresholdMicros),
      amount: formatMicros(amountMicros),
      month_most: formatMicros(monthMicros),
    };
    await insertAuditEntry(tx, by, { action: 'top_up.changed', accountId, subject: accountId, detail });
  });
}

function assertSettings(
  { payments, cards, currency }: { payments: Payments; cards: CardCharger; currency: string },
  { thresholdMicros, amountMicros, monthMicros }: TopUpSettings,
): void {
  if (thresholdMicros <= 0n || thresholdMicros > maxMicros)
    throw invalidField('/threshold', 'must be more than zero.');
  assertPayable(payments, amountMicros);
  cards.assertAmount(amountMicros, currency);
  if (monthMicros < amountMicros || monthMicros > maxMicros)
    throw invalidField('/month_most', 'must be at least the amount of one charge.');
}

/** Turns off top-up. A running charge is still credited. Returns the card that the provider should delete. */
export async function removeTopUp(
  { database }: { database: Database },
  accountId: string,
  by: Actor,
): Promise<string | null> {
  return database.transaction(async (tx) => {
    await lockLiving(tx, accountId);
    const { card, state } = await findTopUp(tx, accountId);
    if (!card && state === 'off') return null;
    await saveTopUp(tx, accountId, { state: 'off', stopped_by: null, card: null });
    if (card) await markCardGone(tx, card.id);
    const entry = { action: 'top_up.removed' as const, accountId, subject: accountId, detail: {} };
    await insertAuditEntry(tx, by, entry);
    return card?.id ?? null;
  });
}
