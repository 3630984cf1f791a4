import Type from 'typebox';
import type { Database } from '../../../../base/db/database.ts';
import { amount, named } from '../../../../base/http/schemas.ts';
import { readPresentedBalance } from '../../../../money/ledger/present-balance.ts';
import { accountCall } from '../../account-call.ts';

export const balanceSchema = Type.Object(
  {
    balance: amount('Deposited and not yet spent.'),
    reserved: amount('Held for jobs that are not finished.'),
    available: amount('`balance` minus `reserved`: what can be spent now.'),
  },
  { $id: 'Balance' },
);

export function balanceCall({ database }: { database: Database }) {
  return accountCall({
    tag: 'Money',
    operationId: 'getBalance',
    summary: 'Read the balance',
    description: 'What is there, what is held for jobs that are not finished, and what can be spent.',
    status: 200,
    reply: named(balanceSchema),
    errors: [],
    handle: ({ accountId }) => readPresentedBalance(database.read, accountId),
  });
}
