import type { Command } from 'commander';
import { type Answer, allPages, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable, tell } from '../../output.ts';

type AccountInfo = Answer<'listAccounts'>['data'][number];

export function addAccountList(account: Command): void {
  account
    .command('list')
    .description('all accounts and their balances')
    .option('--json', 'print one JSON object')
    .action(listAccounts);
}

async function listAccounts({ json }: { json?: true }): Promise<void> {
  const listed = await withOperator((operator) => allPages((page) => operator.listAccounts(page)));
  const accounts = listed.toSorted((one, other) => one.name.localeCompare(other.name));
  if (json) return printJson({ data: accounts });
  if (accounts.length === 0)
    return tell('No accounts yet. Make one: darkroom account create NAME --credit 10');
  const areGrouped = accounts.some((account) => account.price_group !== null);
  printTable(areGrouped ? [...columns, priceColumn] : columns, accounts);
}

/** Shown if there are price groups, because a group can be removed only after its accounts have left it. */
const priceColumn: Column<AccountInfo> = { title: 'PRICES', cell: (account) => account.price_group ?? '' };

const columns: Column<AccountInfo>[] = [
  { title: 'ACCOUNT', cell: (account) => account.account_id },
  { title: 'NAME', cell: (account) => account.name },
  { title: 'BALANCE', cell: (account) => account.balance, align: 'right' },
  { title: 'RESERVED', cell: (account) => account.reserved, align: 'right' },
  { title: 'AVAILABLE', cell: (account) => account.available, align: 'right' },
];
