import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addAccountCreate(account: Command): void {
  account
    .command('create')
    .description('make an account')
    .argument('<name>', 'unique name')
    .option('--credit <amount>', 'its first credit, such as 10 or 0.50')
    .option('--webhook <url>', 'the URL called when one of its jobs has ended')
    .option('--json', 'print one JSON object')
    .action(createAccount);
}

interface Options {
  credit?: string;
  webhook?: string;
  json?: true;
}

async function createAccount(name: string, { credit, webhook, json }: Options): Promise<void> {
  const account = await withOperator((operator) =>
    operator.createAccount({
      name,
      ...(credit !== undefined && { credit }),
      ...(webhook !== undefined && { webhook }),
    }),
  );
  if (json) return printJson(account);
  tell(`Account ${account.name} with a balance of ${account.balance}. Make a key for it:`);
  tell(`  darkroom key create --account ${account.account_id}`);
  print(account.account_id);
}
