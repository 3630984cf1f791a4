import type { Database } from '../db/database.ts';
import { readStatement } from '../ledger/read-statement.ts';
import { type Statement, statementHeader, statementRows } from '../ledger/statement.ts';
import { accountOf } from './subjects.ts';

/** Months of accounts. */
export function statementVerbs({ database, currency }: { database: Database; currency: string }) {
  return {
    /** A month of an account, such as `2026-10`. */
    async readStatement(idOrName: string, month: string) {
      const account = await accountOf(database.read, idOrName);
      return readStatement(database.read, account, { month, currency });
    },
    /** As CSV. Nothing in it needs quotes. */
    statementTable(statement: Statement): string {
      return [statementHeader, ...statementRows(statement)].map((row) => row.join(',')).join('\n');
    },
  };
}
