import type { Database } from '../../../../base/db/database.ts';
import { named } from '../../../../base/http/schemas.ts';
import { readPresentedBalance } from '../../../../money/ledger/present-balance.ts';
import { accountCall } from '../../account-call.ts';
import { balanceSchema } from '../../balance-schema.ts';

export function balanceCall({ database }: { database: Database }) {
  return accountCall({
    tag: 'Money',
    operationId: 'getBalance',
    summary: 'Read the balance',
    description: 'Reads the balance, the part that unfinished jobs reserve, and what can be spent.',
    reply: named(balanceSchema),
    handle: ({ accountId }) => readPresentedBalance(database.read, accountId),
  });
}
