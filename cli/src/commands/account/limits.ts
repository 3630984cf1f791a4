import type { Command } from 'commander';
import { type Administration, type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable, tell } from '../../output.ts';
import { addLimitOptions, type LimitOptions, limitsOf } from './limit-options.ts';

type LimitInfo = Answer<'accountLimits'>[number];

export function addAccountLimits(account: Command): void {
  addLimitOptions(
    account
      .command('limits')
      .description('show or change the limits of an account, with their use')
      .argument('<account>', 'id or name'),
  )
    .option('--json', 'print one JSON object')
    .action((name: string, options: Options) =>
      showLimits(
        (operator) => operator.accountLimits(name),
        (operator, limits) => operator.changeAccountLimits(name, limits),
        options,
      ),
    );
}

export function addKeyLimits(key: Command): void {
  addLimitOptions(
    key
      .command('limits')
      .description('show or change the limits of a key, with their use')
      .argument('<key-id>', 'as in darkroom key list'),
  )
    .option('--json', 'print one JSON object')
    .action((keyId: string, options: Options) =>
      showLimits(
        (operator) => operator.keyLimits(keyId),
        (operator, limits) => operator.changeKeyLimits(keyId, limits),
        options,
      ),
    );
}

interface Options extends LimitOptions {
  json?: true;
}

async function showLimits(
  list: (operator: Administration) => Promise<LimitInfo[]>,
  change: (operator: Administration, limits: ReturnType<typeof limitsOf>) => Promise<LimitInfo[]>,
  options: Options,
): Promise<void> {
  const changes = limitsOf(options);
  const isChange = Object.keys(changes).length > 0;
  const limits = await withOperator((operator) => (isChange ? change(operator, changes) : list(operator)));
  if (options.json) return printJson({ data: limits });
  if (limits.length === 0)
    return tell('No limits. Set one with --spend-day 5, --max-open 20 or --rate 10/s.');
  printTable(columns, limits);
}

const columns: Column<LimitInfo>[] = [
  { title: 'LIMIT', cell: ({ limit }) => limit },
  { title: 'USED', cell: ({ used }) => used ?? '', align: 'right' },
  { title: 'OF', cell: ({ most }) => most ?? 'no limit', align: 'right' },
  { title: 'RESETS AT', cell: ({ resets_at: at }) => at ?? '' },
  { title: '', cell: ({ is_default: isDefault }) => (isDefault ? 'default' : '') },
];
