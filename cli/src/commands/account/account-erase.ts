import type { Command } from 'commander';
import { ask } from '../../ask.ts';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addAccountErase(account: Command): void {
  account
    .command('erase')
    .description('erase all that was made in an account, and who it is; the ledger stays')
    .argument('<account>', 'id or name')
    .option('--confirm <name>', 'the name of the account, for scripts that cannot be asked')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Disables the account, cancels its jobs, and removes its images, inputs, prompts, deliveries, receivers and
members, and their names and addresses in the audit log. Entries of the ledger stay, under a pseudonym. This
cannot be undone: export the account first. If it is interrupted, run it again.`,
    )
    .action(eraseAccount);
}

async function eraseAccount(
  account: string,
  { confirm, json }: { confirm?: string; json?: true },
): Promise<void> {
  const name = confirm ?? (await askForName(account));
  const erased = await withOperator((operator) => operator.eraseAccount(account, { name }));
  if (json) printJson(erased);
  else
    tell(
      `Erased ${erased.jobs} jobs and ${erased.objects} objects. The ledger of ${erased.account_id} stays.`,
    );
}

async function askForName(account: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new CliError(
      exitCodes.usage,
      'Confirm with --confirm and the name of the account, exactly as it is.',
    );
  return ask(`This erases ${account} for good. Write its name to confirm: `);
}
