import Type from 'typebox';
import { findAccount } from '../../../accounts/account-store.ts';
import type { Database } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import { amount, named, nullable, oneOf, time } from '../../../http/schemas.ts';
import { entryKinds } from '../../../ledger/entry.ts';
import { readStatement } from '../../../ledger/read-statement.ts';
import { apiCall } from '../../api-call.ts';

const month = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}$', description, examples: ['2026-10'] });

export const statementSchema = Type.Object(
  {
    account_id: Type.String({ format: 'uuid' }),
    account: Type.String(),
    month: month('In UTC.'),
    from: time('When the month begins.'),
    to: time('When the next one begins.'),
    currency: Type.String(),
    closed: Type.Boolean({ description: 'The month is over: this statement does not change any more.' }),
    opening_balance: amount('When the month began.'),
    lines: Type.Array(
      Type.Object(
        {
          kind: oneOf(entryKinds, { title: 'EntryKind', 'x-open': true }),
          model: nullable(Type.String(), {
            description: 'Of what was captured; null for others, and where it is not known any more.',
          }),
          entries: Type.Integer(),
          amount: amount('What they did to the balance, with its sign.'),
        },
        { title: 'StatementLine' },
      ),
      { description: 'They add up to the difference of the balances, to the last digit.' },
    ),
    closing_balance: amount('When the month ended, or now.'),
    digest: Type.String({
      description:
        'SHA-256 of all before it as JSON: two statements of a closed month are the same, or it differs.',
    }),
  },
  { $id: 'Statement' },
);

/** `GET /statements/{month}`: a month of the account. */
export function statementCall({ database, currency }: { database: Database; currency: string }) {
  return apiCall({
    tag: 'Account',
    operationId: 'getStatement',
    summary: 'Read the statement of a month',
    description:
      'The balance at the beginning, credits and other changes, what was captured by model, and the balance at the end. It is added up from the entries of the ledger, which never change.',
    params: Type.Object({ month: month('A month of UTC that has begun.') }),
    status: 200,
    reply: named(statementSchema),
    errors: ['not_found'],
    async handle({ apiKey, params }) {
      const account = await findAccount(database.read, apiKey.accountId);
      if (!account) throw new AppError('not_found', 'There is no such account.');
      return readStatement(database.reports, account, { month: params.month, currency });
    },
  });
}
