import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addKeyDisable(key: Command): void {
  key
    .command('disable')
    .description('stop a key from working, for good')
    .argument('<key-id>', 'as in darkroom key list')
    .option('--json', 'print one JSON object')
    .action(disableKey);
}

async function disableKey(keyId: string, { json }: { json?: true }): Promise<void> {
  await withOperator((operator) => operator.disableKey(keyId));
  if (json) printJson({ key_id: keyId, disabled: true });
  else tell(`Key ${keyId} is disabled. Its jobs continue.`);
}
