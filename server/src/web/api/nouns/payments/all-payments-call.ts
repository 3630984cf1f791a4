import { readNames } from '../../../../accounts/names-store.ts';
import { listPayments } from '../../../../accounts/payments/payment-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readPage } from '../../../../base/http/cursor.ts';
import { page, pageQuery } from '../../../../base/http/schemas.ts';
import { installationCall } from '../../installation-call.ts';
import { accountPaymentSchema, presentPayment } from './payment-json.ts';

export function allPaymentsCall({ database }: { database: Database }) {
  return installationCall({
    tag: 'Money',
    operationId: 'listAllPayments',
    summary: 'List payments of all accounts, newest first',
    description: 'Accounts that owe, because more went back than they had, are `GET /accounts?owing=true`.',
    query: pageQuery({}),
    reply: page('AccountPaymentList', accountPaymentSchema),
    async handle({ query }) {
      const { read } = database;
      const { data, next_cursor } = await readPage(
        query,
        (slice) => listPayments(read, slice),
        (one) => one,
      );
      const accountIds = [...new Set(data.map(({ accountId }) => accountId))];
      const names = await readNames(read, 'accounts', accountIds);
      const present = (payment: (typeof data)[number]) => {
        const { accountId: account_id } = payment;
        return { account_id, account: names.get(account_id) ?? account_id, ...presentPayment(payment) };
      };
      return { data: data.map(present), next_cursor };
    },
  });
}
