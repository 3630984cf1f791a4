import Type, { type TSchema } from 'typebox';
import { accountOf } from '../../../../accounts/account-of.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readNow } from '../../../../base/db/rows.ts';
import { amount, named, nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { entryKinds } from '../../../../money/ledger/entry.ts';
import { readStatement } from '../../../../money/ledger/read-statement.ts';
import { monthsBetween, statementHeader, statementRows } from '../../../../money/ledger/statement.ts';
import { accountCall } from '../../account-call.ts';
import { csv } from '../../csv.ts';
import { streamed } from '../../streamed.ts';

export const month = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}$', description, examples: ['2026-10'] });

const beforeLines = {
  month: month('The month in UTC.'),
  from: time('When the month begins.'),
  to: time('When the next month begins.'),
  currency: Type.String(),
  closed: Type.Boolean({ description: 'True if the month is over: the statement no longer changes.' }),
  opening_balance: amount('When the month began.'),
};

const afterLines = {
  closing_balance: amount('When the month ended, or now.'),
  digest: Type.String({
    description:
      'SHA-256 of all preceding fields as JSON. If two statements of a closed month differ, so do their digests.',
  }),
};

/** The fields of every statement; only the kinds of lines differ. */
export const statementFields = <Kind extends TSchema>(kind: Kind, title: string) => ({
  ...beforeLines,
  lines: Type.Array(
    Type.Object(
      {
        kind,
        model: nullable(Type.String(), {
          description: 'The model of captures; null for other lines, and if it is no longer known.',
        }),
        entries: Type.Integer(),
        amount: amount('The change of the balance, with its sign.'),
      },
      { title },
    ),
    { description: 'The lines, which add up exactly to the difference of the balances.' },
  ),
  ...afterLines,
});

export const statementSchema = Type.Object(
  {
    account_id: Type.String({ format: 'uuid' }),
    account: Type.String(),
    ...statementFields(oneOf(entryKinds, { title: 'EntryKind', 'x-open': true }), 'StatementLine'),
  },
  { $id: 'Statement' },
);

export const monthParams = Type.Object({ month: month('A month (UTC) that has begun.') });

export interface StatementDeps {
  database: Database;
  currency: string;
}

export function statementCalls({ database, currency }: StatementDeps) {
  const read = async (accountId: string, month: string) =>
    readStatement(database.reports, await accountOf(database.read, accountId), { month, currency });
  const params = monthParams;
  return {
    list: accountCall({
      tag: 'Money',
      operationId: 'listStatements',
      summary: 'List the months that have a statement',
      description: 'Lists the months since the account was created, newest first.',
      reply: Type.Object({ data: Type.Array(month('The month in UTC.')) }, { title: 'StatementMonths' }),
      errors: ['not_found'],
      async handle({ accountId }) {
        const { createdAt } = await accountOf(database.read, accountId);
        return { data: monthsBetween(createdAt, await readNow(database.read)) };
      },
    }),

    get: accountCall({
      tag: 'Money',
      operationId: 'getStatement',
      summary: 'Read the statement of a month',
      description:
        'The balance at the beginning, credits and other changes, captures by model, and the balance at the end. It is a sum of ledger entries, which never change.',
      params,
      reply: named(statementSchema),
      errors: ['not_found'],
      handle: ({ accountId, params }) => read(accountId, params.month),
    }),

    table: accountCall({
      tag: 'Money',
      operationId: 'getStatementTable',
      summary: 'Read the statement of a month as a table',
      description:
        'CSV, with a row for the balance at the beginning, for each line, and for the balance at the end.',
      params,
      replyType: 'text/csv',
      reply: streamed,
      errors: ['not_found'],
      handle: async ({ accountId, params: { month } }) =>
        csv(`statement-${month}.csv`, statementHeader, statementRows(await read(accountId, month))),
    }),
  };
}
