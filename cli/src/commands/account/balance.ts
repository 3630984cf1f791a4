import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { printFacts, printJson } from '../../output.ts';

export function addBalance(program: Command): void {
  program
    .command('balance')
    .description('what the account can spend')
    .option('--json', 'print one JSON object')
    .action(showBalance);
}

async function showBalance({ json }: { json?: true }): Promise<void> {
  const darkroom = await connect();
  const { balance, reserved, available, debt } = await darkroom.balance();
  if (json) return printJson({ balance, reserved, available, ...(debt && { debt }) });
  const width = Math.max(balance.length, reserved.length, available.length);
  printFacts([
    ['balance', balance.padStart(width)],
    ['reserved', `${reserved.padStart(width)}  for jobs that have not finished`],
    ['available', `${available.padStart(width)}  to spend now`],
    ...(debt
      ? [
          [
            'owed',
            `${debt.padStart(width)}  for a payment that was taken back; paid by the next credits`,
          ] as const,
        ]
      : []),
  ]);
}
