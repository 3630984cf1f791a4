import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { onThisMachine } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('check every balance, ledger entry, job and image; changes nothing')
    .option('--json', 'print one JSON object')
    .action(verify);
}

async function verify({ json }: { json?: true }): Promise<void> {
  const verification = await onThisMachine((operator) => operator.verify());
  const { ok, checked, violations } = verification;
  const counts = Object.entries(checked).map(([what, count]) => `${what} ${count}`);
  if (!ok) {
    if (!json) for (const { invariant, detail } of violations) print(`${invariant}  ${detail}`);
    throw new CliError(
      exitCodes.failed,
      `${violations.length} ${violations.length === 1 ? 'violation' : 'violations'} found. Checked: ${counts.join(', ')}.`,
      'make a backup (darkroom backup FILE) before anything is changed',
      verification,
    );
  }
  if (json) printJson(verification);
  else tell(`All is well. Checked: ${counts.join(', ')}.`);
}
