import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addAccountCredit(account: Command): void {
  account
    .command('credit')
    .description('add money to an account')
    .argument('<account>', 'id or name')
    .argument('<amount>', 'such as 10 or 0.50')
    .requiredOption('--reason <text>', 'for whoever reads the ledger')
    .option(
      '--idempotency-key <key>',
      'the same credit under the same key is given once, such as INV-2026-118',
    )
    .option('--json', 'print one JSON object')
    .action(creditAccount);
}

async function creditAccount(
  account: string,
  amount: string,
  { reason, idempotencyKey, json }: { reason: string; idempotencyKey?: string; json?: true },
): Promise<void> {
  const credited = await withOperator((operator) =>
    operator.creditAccount({
      account,
      amountMicros: operator.parseAmount(amount),
      reason,
      ...(idempotencyKey && { idempotencyKey }),
    }),
  );
  if (json) printJson(credited);
  else tell(`Account ${credited.name} now has a balance of ${credited.balance}.`);
}
