import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { printJson, tell } from '../../output.ts';

export function addRedeem(program: Command): void {
  program
    .command('redeem')
    .description('add the value of a voucher to the balance')
    .argument('<code>', 'the code of the voucher')
    .option('--json', 'print one JSON object')
    .action(redeemVoucher);
}

async function redeemVoucher(code: string, { json }: { json?: true }): Promise<void> {
  const darkroom = await connect();
  const { amount, balance } = await darkroom.redeemVoucher(code);
  if (json) printJson({ amount, balance });
  else tell(`${amount} was added: the balance is ${balance}.`);
}
