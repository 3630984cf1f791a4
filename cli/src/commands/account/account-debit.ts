import { type Command, InvalidArgumentError } from 'commander';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addAccountDebit(account: Command): void {
  account
    .command('debit')
    .description('take money from an account, except what its jobs reserve')
    .argument('<account>', 'id or name')
    .argument('<amount>', 'such as 10 or 0.50')
    .requiredOption('--reason <text>', 'the reason shown in the ledger')
    .option('--corrects <entry-id>', 'the credit that this corrects, wholly or in part', parseEntryId)
    .option('--reference <text>', 'your name for the payment: it is debited once')
    .option('--json', 'print one JSON object')
    .action(debitAccount);
}

interface Options {
  reason: string;
  corrects?: string;
  reference?: string;
  json?: true;
}

async function debitAccount(account: string, amount: string, { json, ...debit }: Options): Promise<void> {
  const debited = await withOperator((operator) => operator.debitAccount(account, { amount, ...debit }));
  if (json) printJson(debited);
  else
    tell(
      `Account ${debited.name} ${debited.replayed ? 'had this debit already, and' : 'now'} has a balance of ${debited.balance}.`,
    );
}

function parseEntryId(text: string): string {
  if (text.startsWith('ent_')) return text;
  throw new InvalidArgumentError('An entry id begins with ent_, as in the entries of the account.');
}
