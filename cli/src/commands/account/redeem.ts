import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { printJson, tell } from '../../output.ts';

export function addRedeem(program: Command): void {
  program
    .command('redeem')
    .description('add what a voucher is worth to the balance')
    .argument('<code>', 'as it was given out')
    .option('--json', 'print one JSON object')
    .action(redeemVoucher);
}

async function redeemVoucher(code: string, { json }: { json?: true }): Promise<void> {
  const darkroom = await connect();
  const { amount, balance } = await darkroom.redeemVoucher(code);
  if (json) printJson({ amount, balance });
  else tell(`${amount} was added: the balance is ${balance}.`);
}
