import type { Command } from 'commander';
import { formatAge } from '../../format.ts';
import { type Answer, allPages, withOperator } from '../../operator.ts';
import { type Column, paintStatus, printJson, printTable, tell } from '../../output.ts';

type KeyInfo = Answer<'listKeys'>['data'][number];

export function addKeyList(key: Command): void {
  key
    .command('list')
    .description('API keys, of one account or of all')
    .option('--account <account>', 'id or name')
    .option('--json', 'print one JSON object')
    .action(listKeys);
}

async function listKeys({ account, json }: { account?: string; json?: true }): Promise<void> {
  const of = account === undefined ? {} : { account };
  const keys = await withOperator((operator) => allPages((page) => operator.listKeys({ ...of, ...page })));
  if (json) return printJson({ data: keys });
  if (keys.length === 0)
    return tell(`No keys yet. Make one: darkroom key create --account ${account ?? 'ACCOUNT'}`);
  printTable(account === undefined ? [...columns, accountColumn] : columns, keys);
}

const columns: Column<KeyInfo>[] = [
  { title: 'KEY ID', cell: (key) => key.key_id },
  { title: 'NAME', cell: (key) => key.name },
  { title: 'KEY', cell: (key) => key.hint },
  { title: 'STATE', cell: (key) => paintStatus(stateOf(key)) },
  { title: 'MODELS', cell: (key) => key.models?.join(',') ?? 'all' },
  {
    title: 'LAST USED',
    cell: (key) => (key.last_used_at === null ? 'never' : formatAge(key.last_used_at, Date.now())),
  },
];

const accountColumn: Column<KeyInfo> = { title: 'ACCOUNT', cell: (key) => key.account_id };

function stateOf(key: KeyInfo): string {
  if (key.disabled_at !== null) return 'disabled';
  return key.expires_at !== null && Date.parse(key.expires_at) <= Date.now() ? 'expired' : 'active';
}
