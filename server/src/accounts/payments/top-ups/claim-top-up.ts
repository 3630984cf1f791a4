import type { Database } from '../../../base/db/database.ts';
import { readNow } from '../../../base/db/rows.ts';
import type { Tx } from '../../../base/db/schema.ts';
import { newId } from '../../../base/std/ids.ts';
import { lockBalances } from '../../../money/ledger/ledger-store.ts';
import { decideTopUp, type TopUpDecision } from './decide-top-up.ts';
import { countCharges, findTopUp, insertCharge, type OpenCharge } from './top-up-store.ts';

/** Records a charge before requesting it, so that a restarted process repeats the same charge. */
export async function claimTopUp(
  database: Database,
  { accountId, provider }: { accountId: string; provider: string },
): Promise<{ decision: TopUpDecision; charge?: OpenCharge }> {
  return database.transaction(async (tx) => {
    const [locked] = await lockBalances(tx, [accountId]);
    const topUp = await findTopUp(tx, accountId);
    const { card, customer, thresholdMicros, amountMicros, monthMicros } = topUp;
    if (!locked || !card || !customer || !thresholdMicros || !amountMicros || !monthMicros)
      return { decision: 'off' };
    const counted = await countCharges(tx, accountId, monthStartOf(await readNow(tx)));
    const decision = decideTopUp({
      ...{ ...counted, isOn: topUp.state === 'on', isClosed: counted.isClosed || locked.isErased },
      availableMicros: locked.balanceMicros - locked.reservedMicros,
      ...{ debtMicros: locked.debtMicros, thresholdMicros, amountMicros, monthMicros },
    });
    if (decision !== 'top_up') return { decision };
    const charge = { accountId, amountMicros, card: card.id, customer };
    return { decision, charge: await insert(tx, charge, provider) };
  });
}

async function insert(
  tx: Tx,
  charge: Omit<OpenCharge, 'paymentId' | 'createdAt'>,
  provider: string,
): Promise<OpenCharge> {
  const createdAt = await readNow(tx);
  const paymentId = newId(createdAt);
  await insertCharge(tx, { ...charge, paymentId, provider });
  return { ...charge, paymentId, createdAt };
}

/** Returns the start of the month in UTC, which statements and limits use too. */
export function monthStartOf(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
}
