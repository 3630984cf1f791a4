import type { Command } from 'commander';
import { connect } from '../../client.ts';
import { printJsonLine } from '../../output.ts';

export function addBatchResults(batch: Command): void {
  batch
    .command('results')
    .description('its jobs in their current state, one JSON object on each line')
    .argument('<id>', 'id of the batch')
    .addHelpText('after', examples)
    .action(printResults);
}

const examples = `
Example:
  darkroom batch results ID | jq -r 'select(.job.status == "failed") | "\\(.index) \\(.job.error)"'`;

async function printResults(id: string): Promise<void> {
  const { batches } = await connect();
  for await (const result of batches.results(id)) printJsonLine(result);
}
