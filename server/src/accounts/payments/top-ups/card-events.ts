import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Tx } from '../../../base/db/schema.ts';
import { lockBalances } from '../../../money/ledger/ledger-store.ts';
import type { Card, CardEvent, CardGoneEvent, Refusal } from '../payment-provider.ts';
import {
  findCardOwner,
  findTopUp,
  hasLaterCard,
  insertCardIfNew,
  markCardGone,
  saveTopUp,
} from './top-up-store.ts';

/** Notifies the account that top-ups have stopped. It is passed in, because this folder cannot import `alerts`. */
export type TellTopUp = (
  tx: Tx,
  stopped: { accountId: string; reason: Refusal; card: Card | null },
) => Promise<void>;

interface StopDeps {
  tellTopUp: TellTopUp;
  by: Actor;
}

/** Stops automatic top-up until an owner turns it on. Needs the account's lock. */
export async function stopTopUp(
  tx: Tx,
  { tellTopUp, by }: StopDeps,
  { accountId, reason }: { accountId: string; reason: Refusal },
): Promise<void> {
  const { state, card } = await findTopUp(tx, accountId);
  if (state !== 'on') return;
  await saveTopUp(tx, accountId, { state: 'stopped', stopped_by: reason });
  const entry = { action: 'top_up.stopped' as const, accountId, subject: accountId, detail: { reason } };
  await insertAuditEntry(tx, by, entry);
  await tellTopUp(tx, { accountId, reason, card });
}

/**
 * Saves a card in place of the account's earlier card. Top-ups charge it from now on, if they are on. The report of a
 * card can come after that of a card that was saved later, which then stays.
 */
export async function keepCard(tx: Tx, event: CardEvent, by: Actor): Promise<void> {
  const { accountId, customer, card, savedAt } = event;
  const [locked] = await lockBalances(tx, [accountId]);
  if (!locked || locked.isErased || !(await insertCardIfNew(tx, event))) return;
  if (await hasLaterCard(tx, accountId, savedAt)) return markCardGone(tx, card.id);
  const { card: before } = await findTopUp(tx, accountId);
  if (before) await markCardGone(tx, before.id);
  await saveTopUp(tx, accountId, { card: card.id, customer });
  const detail = { card: `${card.brand} ${card.last4}` };
  await insertAuditEntry(tx, by, { action: 'card.saved', accountId, subject: accountId, detail });
}

export async function dropCard(tx: Tx, { card }: CardGoneEvent, deps: StopDeps): Promise<void> {
  const accountId = await findCardOwner(tx, card);
  if (accountId === undefined) return;
  await lockBalances(tx, [accountId]);
  await markCardGone(tx, card);
  const topUp = await findTopUp(tx, accountId);
  if (topUp.card?.id !== card) return;
  await stopTopUp(tx, deps, { accountId, reason: 'card_removed' });
  await saveTopUp(tx, accountId, { card: null });
}
