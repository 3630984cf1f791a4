import type { ModelId } from '@darkroom/sdk';
import type { Command } from 'commander';
import { parseDurationMs, parseModels } from '../../arguments.ts';
import { withOperator } from '../../operator.ts';
import { print, printJson, tell } from '../../output.ts';
import { addLimitOptions, type LimitOptions, limitsOf } from './limit-options.ts';

export function addKeyCreate(key: Command): void {
  addLimitOptions(
    key
      .command('create')
      .description('make an API key; it is shown this once')
      .requiredOption('--account <account>', 'id or name of the account that pays')
      .option('--name <name>', 'what it is for')
      .option('--models <models>', 'only these, such as nb,nb2 (default: every model)', parseModels)
      .option('--expires <duration>', 'such as 90d (default: never)', parseDurationMs)
      .option(
        '--allow-ip <networks>',
        'use it from these alone, such as 203.0.113.0/24,2001:db8::/32 (default: from everywhere)',
      ),
  )
    .option('--json', 'print one JSON object')
    .action(createKey);
}

interface Options extends LimitOptions {
  allowIp?: string;
  account: string;
  name?: string;
  models?: ModelId[];
  expires?: number;
  json?: true;
}

async function createKey(options: Options): Promise<void> {
  const { account, name, models, expires, allowIp, json } = options;
  const key = await withOperator((operator) =>
    operator.createKey(account, {
      ...(name !== undefined && { name }),
      ...(models !== undefined && { models }),
      ...(expires !== undefined && { expires_in: expires / 1000 }),
      ...(allowIp !== undefined && { networks: allowIp.split(',').map((one) => one.trim()) }),
      limits: limitsOf(options),
    }),
  );
  if (json) return printJson(key);
  tell(`Key ${key.key_id} for ${key.models === null ? 'every model' : key.models.join(', ')}.`);
  tell('It cannot be shown again: keep it now.');
  print(key.key);
}
