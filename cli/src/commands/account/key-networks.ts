import type { Command } from 'commander';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addKeyNetworks(key: Command): void {
  key
    .command('networks')
    .description('change from where a key may be used')
    .argument('<key-id>', 'as in darkroom key list')
    .argument('<networks>', 'such as 203.0.113.0/24,2001:db8::/32, or any')
    .option('--json', 'print one JSON object')
    .action(changeNetworks);
}

async function changeNetworks(keyId: string, text: string, { json }: { json?: true }): Promise<void> {
  const networks = text === 'any' ? null : text.split(',').map((one) => one.trim());
  const key = await withOperator((operator) => operator.changeKey(keyId, { networks }));
  if (json) return printJson(key);
  tell(`Key ${keyId} may be used from ${key.networks?.join(', ') ?? 'everywhere'}.`);
}
