import { type StatementDeps, statementCalls } from '../api/nouns/money/statement-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import { statementHeader, statementRows } from '../ledger/statement.ts';
import { askedOf } from './asked.ts';

/** Months of accounts. */
export function statementVerbs(deps: StatementDeps, by: Actor) {
  const call = statementCalls(deps);
  const asked = async (account: string) => askedOf(deps.database, by, { account, body: undefined });
  /** A month of an account, such as `2026-10`. */
  const readStatement = async (account: string, month: string) =>
    call.get.handle({ ...(await asked(account)), params: { month } });
  return {
    /** The months of an account that have a statement, the newest first. */
    listStatements: async (account: string) => (await call.list.handle(await asked(account))).data,
    readStatement,
    /** As CSV. Nothing in it needs quotes. */
    async statementTable(account: string, month: string): Promise<string> {
      const rows = [statementHeader, ...statementRows(await readStatement(account, month))];
      return rows.map((row) => row.join(',')).join('\n');
    },
  };
}
