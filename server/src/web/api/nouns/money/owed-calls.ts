import Type, { type Static } from 'typebox';
import { readNow } from '../../../../base/db/rows.ts';
import { amount, closed, day, oneOf, period } from '../../../../base/http/schemas.ts';
import { findFirstAccountTime, movements } from '../../../../jobs/owed/owed-store.ts';
import { readInstallationStatement } from '../../../../jobs/owed/read-installation-statement.ts';
import { maxOwedDays, readOwed } from '../../../../jobs/owed/read-owed.ts';
import { monthsBetween, statementHeader, statementRows } from '../../../../money/ledger/statement.ts';
import { csv } from '../../csv.ts';
import { installationCall } from '../../installation-call.ts';
import { streamed } from '../../streamed.ts';
import { month, monthParams, type StatementDeps, statementFields } from './statement-calls.ts';

const owedDaySchema = Type.Object(
  {
    day: day('The month in UTC.'),
    sold: amount('Credits that have the reference of a payment.'),
    voucher: amount('Credits by vouchers.'),
    given: amount('Credits that have only a reason.'),
    refunded: amount(
      'Debits that correct sold credit or have a reference, and credits for refunds and disputes that failed (`returned …`), each with its sign.',
    ),
    taken: amount('Other debits.'),
    captured: amount('Captures for images.'),
    owed: amount('The balances of all accounts together when the day ended, or now.'),
  },
  { title: 'OwedDay' },
);

const installationStatementSchema = Type.Object(
  statementFields(oneOf(movements, { title: 'Movement', 'x-open': true }), 'InstallationStatementLine'),
  { title: 'InstallationStatement' },
);

const filters = closed(period);
const tag = 'Money';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function owedCalls({ database, currency }: StatementDeps) {
  const read = (text: string) => readInstallationStatement(database.reports, { month: text, currency });
  return {
    get: installationCall({
      tag,
      operationId: 'getOwed',
      summary: 'Read the sum of all balances',
      description: `The sum of all balances at the end of each day (UTC), and its changes: sold, given, refunded, captured; over at most ${maxOwedDays} days, newest first. It is the sum of the entries of the ledger.`,
      query: filters,
      reply: Type.Object(
        {
          from: day('The first day.'),
          to: day('The last day, included.'),
          currency: Type.String(),
          data: Type.Array(owedDaySchema),
          erased: amount(
            'The part of the current sum that erased accounts left: the ledger keeps it, but no one can spend it.',
          ),
        },
        { title: 'Owed' },
      ),
      async handle({ query }) {
        const { days, erased, ...period } = await readOwed(database, query);
        return { ...period, currency, data: days, erased };
      },
    }),

    table: installationCall({
      tag,
      operationId: 'downloadOwedTable',
      summary: 'Download the sum of all balances as a table',
      description: 'CSV of the same.',
      query: filters,
      replyType: 'text/csv',
      reply: streamed,
      async handle({ query }) {
        const { days } = await readOwed(database, query);
        const header = Object.keys(owedDaySchema.properties) as (keyof Static<typeof owedDaySchema>)[]; // they are its keys
        return csv(
          'owed.csv',
          header,
          days.map((one) => header.map((field) => one[field])),
        );
      },
    }),

    listStatements: installationCall({
      tag,
      operationId: 'listInstallationStatements',
      summary: 'List the months that have a statement of all accounts',
      description: 'Lists the months since the first account was created, newest first.',
      reply: Type.Object(
        { data: Type.Array(month('The month in UTC.')) },
        { title: 'InstallationStatementMonths' },
      ),
      async handle() {
        const [first, nowMs] = await Promise.all([
          findFirstAccountTime(database.reports),
          readNow(database.reports),
        ]);
        return { data: first === undefined ? [] : monthsBetween(first, nowMs) };
      },
    }),

    getStatement: installationCall({
      tag,
      operationId: 'getInstallationStatement',
      summary: 'Read the statement of all accounts of a month',
      description:
        "Reads the sum of all balances at the beginning of the month, what was sold, given, refunded, taken and captured by model, and the sum at the end: the sum of all accounts' statements.",
      params: monthParams,
      reply: installationStatementSchema,
      errors: ['not_found'],
      handle: ({ params }) => read(params.month),
    }),

    statementTable: installationCall({
      tag,
      operationId: 'getInstallationStatementTable',
      summary: 'Read the statement of all accounts of a month as a table',
      description:
        'CSV, with a row for the balance at the beginning, for each line, and for the balance at the end.',
      params: monthParams,
      replyType: 'text/csv',
      reply: streamed,
      errors: ['not_found'],
      handle: async ({ params }) =>
        csv(`statement-${params.month}.csv`, statementHeader, statementRows(await read(params.month))),
    }),
  };
}
