import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { lockLiving } from '../../money/ledger/lock-living.ts';
import { assertAccountEnabled } from '../disable-account.ts';
import { assertPayable, type Payments } from './open-payments.ts';
import { countOpenPayments, deleteOpenPayment, insertPaymentIfNew } from './payment-store.ts';

// The maximum number of payments that were opened within the last hour and are still open. An account with more is
// playing with the form, or attacking it.
const mostOpen = 20;
const openWithinMs = 60 * 60_000;

export interface CheckoutDeps {
  database: Database;
  payments: Payments;
  currency: string;
  urls: { publicUrl: string };
}

/** @throws AppError `invalid_request`, `too_many_requests`, `payments_unavailable` */
export async function openCheckout(
  { database, payments, currency, urls }: CheckoutDeps,
  { accountId, amountMicros }: { accountId: string; amountMicros: bigint },
): Promise<{ paymentId: string; url: string }> {
  const { provider } = payments;
  assertPayable(payments, amountMicros);
  await assertAccountEnabled(database.read, accountId);
  const paymentId = await database.transaction(async (tx) => {
    // The lock makes the second of two concurrent requests count the first one's payment.
    await lockLiving(tx, accountId);
    const now = await readNow(tx);
    if ((await countOpenPayments(tx, accountId, now - openWithinMs)) >= mostOpen) throw tooMany();
    const id = newId(now);
    await insertPaymentIfNew(tx, { id, accountId, amountMicros, provider: provider.name });
    return id;
  });
  const balance = `${urls.publicUrl}/accounts/${accountId}/balance`;
  const wanted = { paymentId, accountId, amountMicros, currency };
  const { url } = await provider
    .openCheckout({ ...wanted, paidUrl: `${balance}?payment=${paymentId}`, cancelledUrl: balance })
    .catch(async (error: unknown) => {
      await database.transaction((tx) => deleteOpenPayment(tx, paymentId));
      throw error;
    });
  return { paymentId, url };
}

function tooMany(): AppError {
  return new AppError(
    'too_many_requests',
    'Too many payments were opened but not finished in the last hour. Finish one of them, or wait.',
    { retryAfterSeconds: openWithinMs / 1000 },
  );
}
