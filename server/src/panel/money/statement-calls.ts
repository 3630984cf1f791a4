import { findAccount } from '../../accounts/account-store.ts';
import { readNow } from '../../db/rows.ts';
import { AppError } from '../../errors.ts';
import { readStatement } from '../../ledger/read-statement.ts';
import { monthsBetween, statementHeader, statementRows } from '../../ledger/statement.ts';
import { csv } from '../csv.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** An account's months. */
export function statementCalls({ database, installation: { currency } }: PanelDeps): PanelCall[] {
  const find = async (accountId: string) => {
    const account = await findAccount(database.read, accountId);
    if (!account) throw new AppError('not_found', 'There is no such account.');
    return account;
  };
  const read = async ({ account_id: accountId, month }: { account_id: string; month: string }) =>
    readStatement(database.reports, await find(accountId), { month, currency });
  return [
    panelCall('GET /panel/accounts/:account_id/statements', {
      async handle({ params }) {
        const { createdAt } = await find(params.account_id);
        return { months: monthsBetween(createdAt, await readNow(database.read)) };
      },
    }),

    panelCall('GET /panel/accounts/:account_id/statements/:month', {
      handle: ({ params }) => read(params),
    }),

    panelCall('GET /panel/accounts/:account_id/statements/:month/csv', {
      async handle({ params }) {
        const statement = await read(params);
        return csv(`statement-${statement.month}.csv`, statementHeader, statementRows(statement));
      },
    }),
  ];
}
