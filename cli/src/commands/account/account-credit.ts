import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addAccountCredit(account: Command): void {
  account
    .command('credit')
    .description('add money to an account')
    .argument('<account>', 'id or name')
    .argument('<amount>', 'such as 10 or 0.50')
    .option('--reason <text>', 'the reason shown in the ledger; required without a reference')
    .option('--reference <text>', 'your name for the payment, such as INV-2026-118: it is credited once')
    .option('--json', 'print one JSON object')
    .action(creditAccount);
}

interface Options {
  reason?: string;
  reference?: string;
  json?: true;
}

async function creditAccount(account: string, amount: string, { json, ...credit }: Options): Promise<void> {
  if (!credit.reason && !credit.reference)
    throw new CliError(
      exitCodes.usage,
      'A credit needs a reason or a reference.',
      'give --reason "…" or --reference INV-2026-118',
    );
  const credited = await withOperator((operator) => operator.creditAccount(account, { amount, ...credit }));
  if (json) printJson(credited);
  else
    tell(
      `Account ${credited.name} ${credited.replayed ? 'had this credit already, and' : 'now'} has a balance of ${credited.balance}.${credited.entry_id === null ? '' : ` Entry ${credited.entry_id}.`}`,
    );
}
