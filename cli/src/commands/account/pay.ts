import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { printJson, tell } from '../../output.ts';

export function addPay(program: Command): void {
  program
    .command('pay')
    .description('open a page on which you pay for credit')
    .argument('<amount>', 'the amount added to the balance, such as 25')
    .option('--json', 'print one JSON object')
    .action(openPayment);
}

async function openPayment(amount: string, { json }: { json?: true }): Promise<void> {
  const darkroom = await connect();
  const opened = await darkroom.createPayment(amount);
  if (json) printJson(opened);
  else tell(`Pay on this page; the balance grows once it is paid:\n\n  ${opened.url}`);
}
