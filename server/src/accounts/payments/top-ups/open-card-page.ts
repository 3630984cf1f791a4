import type { Database } from '../../../base/db/database.ts';
import { readNow } from '../../../base/db/rows.ts';
import { AppError } from '../../../errors.ts';
import { lockLiving } from '../../../money/ledger/lock-living.ts';
import { assertAccountEnabled } from '../../disable-account.ts';
import type { CardCharger } from '../payment-provider.ts';
import { findTopUp, forgetPage, saveTopUp } from './top-up-store.ts';

/** The least time between two pages: a thief could otherwise try stolen cards one after the other. */
const everyMs = 60_000;

/** The card is stored once the provider reports it. @throws AppError `too_many_requests`, `payments_unavailable` */
export async function openCardPage(
  { database, cards, urls }: { database: Database; cards: CardCharger; urls: { publicUrl: string } },
  accountId: string,
): Promise<{ url: string }> {
  await assertAccountEnabled(database.read, accountId);
  const { known, openedAt } = await database.transaction(async (tx) => {
    await lockLiving(tx, accountId);
    const { customer, pageOpenedAt } = await findTopUp(tx, accountId);
    const now = await readNow(tx);
    if (pageOpenedAt !== null && now < pageOpenedAt + everyMs) throw tooSoon();
    await saveTopUp(tx, accountId, { page_opened_at: now });
    return { known: customer, openedAt: now };
  });
  const balance = `${urls.publicUrl}/accounts/${accountId}/balance`;
  const returns = { savedUrl: `${balance}?card=saved`, cancelledUrl: balance };
  const { url, customer } = await cards
    .openPage({ accountId, customer: known, ...returns })
    .catch(async (error: unknown) => {
      // No page can try a card, so the next request need not wait.
      await database.transaction((tx) => forgetPage(tx, accountId, openedAt));
      throw error;
    });
  if (customer !== known)
    await database.transaction(async (tx) => {
      // The account may have been erased meanwhile.
      await lockLiving(tx, accountId);
      await saveTopUp(tx, accountId, { customer });
    });
  return { url };
}

function tooSoon(): AppError {
  return new AppError('too_many_requests', 'A page for a card was opened less than a minute ago.', {
    retryAfterSeconds: everyMs / 1000,
  });
}
