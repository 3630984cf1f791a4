import { type Command, InvalidArgumentError } from 'commander';
import { formatAge } from '../../format.ts';
import { type Administration, type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable, tell } from '../../output.ts';

export function addPriceGroup(program: Command): void {
  const group = program
    .command('price-group')
    .helpCommand(false)
    .description('set, list, show, remove prices that differ from those of the models');
  group
    .command('set')
    .description('make a price group, or replace the one with this id')
    .argument('<group>', 'its id, such as resellers')
    .option('--name <text>', 'for operators')
    .option('--factor <factor>', "the factor for the models' prices: 0.8 takes 20 % off (default: 1)")
    .option('--price <price>', 'nb2/2K=0.05: a price instead of the factor; again for others', addPrice)
    .option('--from <time>', 'from when on, such as 2026-12-01', parseTime)
    .option('--until <time>', 'until when', parseTime)
    .option('--json', 'print one JSON object')
    .action(setGroup);
  group
    .command('list')
    .description('all price groups')
    .option('--json', 'print one JSON object')
    .action(listGroups);
  group
    .command('show')
    .description('the versions of a price group, newest first')
    .argument('<group>', 'its id')
    .option('--json', 'print one JSON object')
    .action(showGroup);
  group
    .command('remove')
    .description('remove a price group without accounts')
    .argument('<group>', 'its id')
    .option('--json', 'print one JSON object')
    .action(removeGroup);
}

export function addAccountPrices(account: Command): void {
  account
    .command('price-group')
    .description('put an account into a price group; jobs that were accepted keep their price')
    .argument('<account>', 'id or name')
    .argument('<group>', 'the id of the group; none: the prices of the models')
    .option('--json', 'print one JSON object')
    .action(putIntoGroup);
}

type Request = Parameters<Administration['savePriceGroup']>[1];
type Price = NonNullable<Request['prices']>[number];

interface SetOptions extends Pick<Request, 'name' | 'factor' | 'from' | 'until'> {
  price?: Price[];
  json?: true;
}

async function setGroup(id: string, { price: prices, json, ...more }: SetOptions): Promise<void> {
  const group = await withOperator((operator) =>
    operator.savePriceGroup(id, { ...more, ...(prices && { prices }) }),
  );
  if (json) return printJson(group);
  tell(`${id} is at version ${group.version}. Put accounts into it: darkroom account price-group NAME ${id}`);
}

async function listGroups({ json }: { json?: true }): Promise<void> {
  const groups = await withOperator((operator) => operator.listPriceGroups());
  if (json) return printJson({ data: groups });
  if (groups.length === 0)
    return tell('No price groups yet. Make one: darkroom price-group set resellers --factor 0.8');
  printTable(columns, groups);
}

async function showGroup(id: string, { json }: { json?: true }): Promise<void> {
  const versions = await withOperator((operator) => operator.priceGroupHistory(id));
  if (json) return printJson({ data: versions });
  printTable(versionColumns, versions);
}

async function removeGroup(id: string, { json }: { json?: true }): Promise<void> {
  await withOperator((operator) => operator.removePriceGroup(id));
  if (json) printJson({ price_group_id: id, removed: true });
  else tell(`${id} is removed.`);
}

async function putIntoGroup(account: string, group: string, { json }: { json?: true }): Promise<void> {
  const price_group = group === 'none' ? null : group;
  const changed = await withOperator((operator) => operator.changeAccount(account, { price_group }));
  if (json) return printJson(changed);
  tell(`${changed.name} pays the prices of ${price_group === null ? 'the models' : group}.`);
}

type Group = Answer<'listPriceGroups'>[number];

const columns: Column<Group>[] = [
  { title: 'GROUP', cell: (group) => group.price_group_id },
  { title: 'NAME', cell: (group) => group.name ?? '' },
  { title: 'FACTOR', cell: (group) => group.factor, align: 'right' },
  { title: 'PRICES', cell: (group) => String(group.prices.length), align: 'right' },
  { title: 'FROM', cell: (group) => group.from ?? '' },
  { title: 'UNTIL', cell: (group) => group.until ?? '' },
  { title: 'ACCOUNTS', cell: (group) => String(group.accounts), align: 'right' },
];

const versionColumns: Column<Answer<'priceGroupHistory'>[number]>[] = [
  { title: 'VERSION', cell: (one) => String(one.version), align: 'right' },
  { title: 'FACTOR', cell: ({ definition }) => definition?.factor ?? 'removed', align: 'right' },
  {
    title: 'PRICES',
    cell: ({ definition }) =>
      (definition?.prices ?? [])
        .map(({ model, resolution, price }) => `${model}/${resolution}=${price}`)
        .join(' '),
  },
  { title: 'FROM', cell: ({ definition }) => definition?.from ?? '' },
  { title: 'UNTIL', cell: ({ definition }) => definition?.until ?? '' },
  { title: 'BY', cell: (one) => one.by },
  { title: 'MADE', cell: (one) => formatAge(one.at, Date.now()) },
];

function addPrice(text: string, before: Price[] = []): Price[] {
  const [, model, resolution, price] = /^([^/=]+)\/([^/=]+)=(.+)$/.exec(text) ?? [];
  if (!model || !resolution || !price)
    throw new InvalidArgumentError('A price is that of a model and a size, such as nb2/2K=0.05.');
  return [...before, { model, resolution, price }];
}

function parseTime(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('A time is written like 2026-12-01 or 2026-12-01T08:00Z.');
  return new Date(at).toISOString();
}
