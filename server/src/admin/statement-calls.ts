import Type from 'typebox';
import { statementSchema } from '../api/nouns/money/statement-calls.ts';
import { named } from '../http/schemas.ts';
import { adminCall } from './admin-call.ts';
import { accountParams, list, listOf } from './schemas.ts';

const tag = 'Money';
const month = Type.String({ description: 'Of UTC.', examples: ['2026-10'] });
const monthParams = Type.Object({ ...accountParams.properties, month });

/** The months of accounts. */
export function statementCalls() {
  return {
    list: adminCall({
      tag,
      operationId: 'listStatements',
      summary: 'List the months of an account',
      description: 'Those that have a statement, the newest first.',
      params: accountParams,
      status: 200,
      reply: listOf('StatementMonths', month),
      errors: ['not_found'],
      handle: ({ verbs, params }) => list(verbs.listStatements(params.account)),
    }),

    get: adminCall({
      tag,
      operationId: 'getStatement',
      summary: 'Read the statement of a month',
      description:
        'What was there, what came and went, and what is left. Of a month that is over it stays the same.',
      params: monthParams,
      status: 200,
      reply: named(statementSchema),
      errors: ['not_found'],
      handle: ({ verbs, params }) => verbs.readStatement(params.account, params.month),
    }),

    table: adminCall({
      tag,
      operationId: 'getStatementTable',
      summary: 'Read the statement of a month as CSV',
      params: monthParams,
      status: 200,
      replyType: 'text/csv',
      reply: Type.String(),
      errors: ['not_found'],
      async handle({ verbs, params }, reply) {
        const table = await verbs.statementTable(params.account, params.month);
        return reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="statement-${params.month}.csv"`)
          .send(`${table}\n`);
      },
    }),
  };
}
