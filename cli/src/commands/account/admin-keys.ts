import type { Command } from 'commander';
import { parseDurationMs } from '../../arguments.ts';
import { formatAge } from '../../format.ts';
import { type OwnAnswer, onThisMachine } from '../../operator.ts';
import { type Column, paintStatus, print, printJson, printTable, tell } from '../../output.ts';

export function addAdminKey(program: Command): void {
  const adminKey = program
    .command('admin-key')
    .helpCommand(false)
    .description('create, list, disable keys of programs that run the installation');
  adminKey
    .command('create')
    .description('make a key for /admin/v1; it is shown this once')
    .argument('<name>', 'its name in the audit log')
    .requiredOption(
      '--scopes <scopes>',
      'a list of read, accounts, money, models and system, such as accounts,money; each includes reading',
      parseList,
    )
    .option('--expires <duration>', 'such as 90d (default: never)', parseDurationMs)
    .option(
      '--allow-ip <networks>',
      'from where it may be used, such as 203.0.113.0/24 (default: anywhere)',
      parseList,
    )
    .option('--json', 'print one JSON object')
    .action(createAdminKey);
  adminKey
    .command('list')
    .description('the keys, and when they were last used')
    .option('--json', 'print one JSON object')
    .action(listAdminKeys);
  adminKey
    .command('disable')
    .description('stop a key from working, for good')
    .argument('<key>', 'its id, or its name')
    .option('--json', 'print one JSON object')
    .action(disableAdminKey);
}

const parseList = (text: string) => text.split(',').map((one) => one.trim());

interface CreateOptions {
  scopes: string[];
  expires?: number;
  allowIp?: string[];
  json?: true;
}

async function createAdminKey(
  name: string,
  { scopes, expires, allowIp, json }: CreateOptions,
): Promise<void> {
  const key = await onThisMachine((operator) =>
    operator.createAdminKey(name, {
      scopes,
      ...(expires !== undefined && { expires_in: expires / 1000 }),
      ...(allowIp && { networks: allowIp }),
    }),
  );
  if (json) return printJson(key);
  tell(`Admin key ${key.name} for ${key.scopes.join(', ')}. It cannot be shown again: keep it now.`);
  print(key.key);
}

async function listAdminKeys({ json }: { json?: true }): Promise<void> {
  const keys = await onThisMachine((operator) => operator.listAdminKeys());
  if (json) return printJson({ data: keys });
  if (keys.length === 0)
    return tell('No admin keys yet. Make one: darkroom admin-key create NAME --scopes read');
  printTable(columns, keys);
}

async function disableAdminKey(key: string, { json }: { json?: true }): Promise<void> {
  const { key_id, name } = await onThisMachine((operator) => operator.disableAdminKey(key));
  if (json) printJson({ key_id, name, disabled: true });
  else tell(`Admin key ${name} is disabled.`);
}

type AdminKeyInfo = OwnAnswer<'listAdminKeys'>[number];

const columns: Column<AdminKeyInfo>[] = [
  { title: 'KEY ID', cell: (key) => key.key_id },
  { title: 'NAME', cell: (key) => key.name },
  { title: 'KEY', cell: (key) => key.hint },
  { title: 'STATE', cell: (key) => paintStatus(stateOf(key)) },
  { title: 'SCOPES', cell: (key) => key.scopes.join(',') },
  {
    title: 'LAST USED',
    cell: ({ last_used_at: at, last_used_address: from }) =>
      at === null ? 'never' : `${formatAge(at, Date.now())} from ${from}`,
  },
];

function stateOf({ disabled_at, expires_at }: AdminKeyInfo): string {
  if (disabled_at !== null) return 'disabled';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
}
