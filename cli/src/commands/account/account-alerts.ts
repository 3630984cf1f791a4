import { type Command, InvalidArgumentError } from 'commander';
import { type Administration, type Answer, withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

interface Options {
  balanceLow?: string;
  spendNear?: number | null;
  json?: true;
}

export function addAccountAlerts(account: Command): void {
  account
    .command('alerts')
    .description('show or change the alerts of an account: its balance and its limits')
    .argument('<account>', 'id or name')
    .option('--balance-low <amount>', 'alert it when its balance falls below this, such as 5; none: never')
    .option(
      '--spend-near <percent>',
      'alert it when this share of a spend limit is used; none: never',
      percentOf,
    )
    .option('--json', 'print one JSON object')
    .action(showAlerts);
}

async function showAlerts(account: string, { balanceLow, spendNear, json }: Options): Promise<void> {
  const changes: Parameters<Administration['changeAccountAlerts']>[1] = {
    ...(balanceLow !== undefined && { balance_low: balanceLow === 'none' ? null : balanceLow }),
    ...(spendNear !== undefined && { spend_near_percent: spendNear }),
  };
  const alerts = await withOperator((operator) =>
    Object.keys(changes).length > 0
      ? operator.changeAccountAlerts(account, changes)
      : operator.accountAlerts(account),
  );
  if (json) return printJson(alerts);
  tell(inWords(alerts));
}

function inWords({ balance_low: low, spend_near_percent: share }: Answer<'accountAlerts'>): string {
  if (low === null && share === null)
    return 'No alerts. Set a threshold with --balance-low 5 or --spend-near 80.';
  const told = [
    ...(low === null ? [] : [`when its balance falls below ${low}`]),
    ...(share === null ? [] : [`when ${share} % of a spend limit is used`]),
  ];
  return `Told ${told.join(', and ')}.`;
}

function percentOf(text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,3}%?$/.test(text)) return Number.parseInt(text, 10);
  throw new InvalidArgumentError('A share is a whole number of percent such as 80, and "none" removes it.');
}
