import Type from 'typebox';
import { openCheckout } from '../../../../accounts/payments/open-checkout.ts';
import type { PaymentSource } from '../../../../accounts/payments/open-payments.ts';
import { findPayment, listPayments } from '../../../../accounts/payments/payment-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readPage, type Slice } from '../../../../base/http/cursor.ts';
import { amount, amountGiven, closed, named, page, pageQuery } from '../../../../base/http/schemas.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { AppError } from '../../../../errors.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { readAmount } from '../../../../money/ledger/read-amount.ts';
import { accountCall } from '../../account-call.ts';
import { paymentSchema, presentPayment } from './payment-json.ts';

export interface PaymentCallDeps {
  database: Database;
  payments: PaymentSource;
  currency: string;
  urls: { publicUrl: string };
}

const tag = 'Money';
const params = Type.Object({ payment_id: Type.String() });

const listSchema = Type.Object(
  {
    ...page('', named(paymentSchema)).properties,
    enabled: Type.Boolean({ description: 'The installation takes payments.' }),
    amounts: Type.Array(Type.String(), {
      description: 'The suggested amounts.',
      examples: [['10.00', '25.00']],
    }),
    least: amount('The smallest amount of a payment.'),
    most: amount('The largest amount of a payment.'),
  },
  { title: 'PaymentList' },
);

export function paymentCalls(deps: PaymentCallDeps) {
  const { database } = deps;
  return {
    list: accountCall({
      tag,
      operationId: 'listPayments',
      summary: 'List payments, newest first, with the possible amounts',
      description:
        'Lists payments, with the amounts that the installation suggests and accepts. If it takes no payments, `enabled` is false.',
      query: pageQuery({}),
      reply: listSchema,
      async handle({ accountId, query }) {
        const payments = deps.payments.current();
        const read = (slice: Slice) => listPayments(database.read, { accountId, ...slice });
        return {
          ...{ ...(await readPage(query, read, presentPayment)), enabled: payments !== null },
          amounts: (payments?.amountsMicros ?? []).map(formatMicros),
          ...{
            least: formatMicros(payments?.leastMicros ?? 0n),
            most: formatMicros(payments?.mostMicros ?? 0n),
          },
        };
      },
    }),

    get: accountCall({
      tag,
      operationId: 'getPayment',
      summary: 'Read a payment',
      description: 'Reads a payment, which is `open` until it is paid and in the balance.',
      params,
      reply: named(paymentSchema),
      errors: ['not_found'],
      async handle({ accountId, params: { payment_id: id } }) {
        const payment = isUuid(id) ? await findPayment(database.read, id.toLowerCase()) : undefined;
        if (payment?.accountId === accountId) return presentPayment(payment);
        throw new AppError('not_found', 'There is no such payment.');
      },
    }),

    create: accountCall({
      tag,
      operationId: 'createPayment',
      summary: 'Open a page for buying credit',
      description:
        'A person pays there, by card or another method of the provider. The balance grows once the provider reports the payment.',
      body: closed({ amount: amountGiven('The amount to credit, without taxes.') }, { title: 'NewPayment' }),
      status: 201,
      idempotency: 'kept',
      makes: '/payments/:payment_id',
      reply: Type.Object(
        {
          payment_id: Type.String({ format: 'uuid' }),
          url: Type.String({ format: 'uri', description: 'The page, which is valid for a day.' }),
        },
        { title: 'OpenedPayment' },
      ),
      errors: ['not_found', 'payments_unavailable'],
      async handle({ accountId, body: { amount: text } }) {
        const payments = deps.payments.current();
        if (!payments) throw notTaken();
        const amountMicros = readAmount('/amount', text);
        const { paymentId, url } = await openCheckout({ ...deps, payments }, { accountId, amountMicros });
        return { payment_id: paymentId, url };
      },
    }),
  };
}

function notTaken(): AppError {
  return new AppError(
    'not_found',
    'Payments are off. The operator can add credit, or set the keys of Stripe.',
  );
}
