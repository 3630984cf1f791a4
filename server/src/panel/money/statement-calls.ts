import { accountOf } from '../../accounts/account-of.ts';
import { csv } from '../../api/csv.ts';
import { readStatement } from '../../ledger/read-statement.ts';
import { statementHeader, statementRows } from '../../ledger/statement.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

/** A month of an account as pages link to it: links send no headers. */
export function statementCalls({ database, installation: { currency } }: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/statements/:month/csv', {
      async handle({ params: { account_id: accountId, month } }) {
        const account = await accountOf(database.read, accountId);
        const statement = await readStatement(database.reports, account, { month, currency });
        return csv(`statement-${month}.csv`, statementHeader, statementRows(statement));
      },
    }),
  ];
}
