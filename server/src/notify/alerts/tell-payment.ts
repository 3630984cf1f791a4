import type { TellPayment } from '../../accounts/payments/settle-payment.ts';
import { readNow } from '../../base/db/rows.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { recordNotices } from '../webhooks/event-store.ts';
import type { ReceivedPayment } from './alerts.ts';

/** Runs in the transaction that credits the payment. */
export const tellPayment: TellPayment = async (
  tx,
  { paymentId, amountMicros, reference, receiptUrl, after: { id, name, balanceMicros }, debtPaidMicros },
) => {
  const data: ReceivedPayment = {
    ...{ account_id: id, account_name: name, payment_id: paymentId, reference },
    amount: formatMicros(amountMicros),
    debt_paid: formatMicros(debtPaidMicros),
    balance: formatMicros(balanceMicros),
    receipt_url: receiptUrl ?? null,
  };
  const at = await readNow(tx);
  await recordNotices(tx, [{ accountId: id, type: 'payment.received', aboutId: paymentId, at, data }]);
};
