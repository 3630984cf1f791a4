import { accountOf } from '../accounts/account-of.ts';
import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import { readStatement } from '../ledger/read-statement.ts';
import { monthsBetween, statementHeader, statementRows } from '../ledger/statement.ts';

export interface StatementVerbDeps {
  database: Database;
  currency: string;
}

/** Months of accounts. */
export function statementVerbs({ database, currency }: StatementVerbDeps) {
  const read = async (account: string, month: string) =>
    readStatement(database.reports, await accountOf(database.read, account), { month, currency });
  return {
    /** The months of an account that have a statement, the newest first. */
    async listStatements(account: string): Promise<string[]> {
      const { createdAt } = await accountOf(database.read, account);
      return monthsBetween(createdAt, await readNow(database.read));
    },
    /** A month of an account, such as `2026-10`. */
    readStatement: read,
    /** As CSV. Nothing in it needs quotes. */
    async statementTable(account: string, month: string): Promise<string> {
      const rows = [statementHeader, ...statementRows(await read(account, month))];
      return rows.map((row) => row.join(',')).join('\n');
    },
  };
}
