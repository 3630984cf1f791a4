import type { ModelId } from '@darkroom/sdk';
import type { Command } from 'commander';
import { parseDurationMs, parseModels } from '../../arguments.ts';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';

export function addKeyCreate(key: Command): void {
  key
    .command('create')
    .description('make an API key; it is shown this once')
    .requiredOption('--account <account>', 'id or name of the account that pays')
    .option('--name <name>', 'what it is for')
    .option('--models <models>', 'only these, such as nb,nb2 (default: every model)', parseModels)
    .option('--expires <duration>', 'such as 90d (default: never)', parseDurationMs)
    .option('--json', 'print one JSON object')
    .action(createKey);
}

interface Options {
  account: string;
  name?: string;
  models?: ModelId[];
  expires?: number;
  json?: true;
}

async function createKey({ account, name, models, expires, json }: Options): Promise<void> {
  const key = await withOperator((operator) =>
    operator.createKey({
      account,
      ...(name !== undefined && { name }),
      ...(models !== undefined && { models }),
      ...(expires !== undefined && { expiresInMs: expires }),
    }),
  );
  if (json) return printJson(key);
  tell(`Key ${key.key_id} for ${key.models === null ? 'every model' : key.models.join(', ')}.`);
  tell('It cannot be shown again: keep it now.');
  print(key.key);
}
