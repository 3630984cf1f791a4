import Type from 'typebox';
import { readNames } from '../../../../accounts/names-store.ts';
import { listPayments } from '../../../../accounts/payments/payment-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readCursor, toPage, writeCursor } from '../../../../base/http/cursor.ts';
import { closed, cursor, page, pageLimit } from '../../../../base/http/schemas.ts';
import { installationCall } from '../../installation-call.ts';
import { accountPaymentSchema, presentPayment } from './payment-json.ts';

const defaultPageSize = 20;

/** The payments of all accounts. */
export function allPaymentsCall({ database }: { database: Database }) {
  return installationCall({
    tag: 'Money',
    operationId: 'listAllPayments',
    summary: 'List payments of all accounts, newest first',
    description: 'Accounts that owe, because more went back than they had, are `GET /accounts?owing=true`.',
    query: closed({ limit: pageLimit(defaultPageSize), cursor: Type.Optional(cursor()) }),
    status: 200,
    reply: page('AccountPaymentList', accountPaymentSchema),
    errors: [],
    async handle({ query: { cursor, limit: wanted } }) {
      const limit = Number(wanted ?? defaultPageSize);
      const [before] = readCursor(cursor, ['id']) ?? [];
      const { read } = database;
      const found = await listPayments(read, { before, limit: limit + 1 });
      const { data, next_cursor } = toPage(found, limit, ({ id }) => writeCursor([id]));
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
