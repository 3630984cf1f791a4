import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, printJson, printTable } from '../../output.ts';

type Kept = Answer<'listRetention'>[number];
type Days = number | 'default';

const options: [part: Kept['part'], what: string][] = [
  ['jobs', 'jobs, with all that belongs to them'],
  ['pictures', 'results with their smaller images'],
  ['prompts', 'prompts and parameters'],
  ['inputs', 'input images'],
  ['deliveries', 'deliveries of webhooks'],
  ['idempotency', 'idempotency keys'],
  ['audit', 'the audit log'],
];

export function addAccountRetention(account: Command): void {
  const command = account
    .command('retention')
    .description('show or change how long an account keeps its data')
    .argument('<account>', 'id or name');
  for (const [part, what] of options)
    command.addOption(new Option(`--${part} <days>`, what).argParser(parseDays));
  command
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Days are counted from the end of a job. The account's own days win over the installation's, shorter or
longer; "default" removes them. No part of a job is kept longer than the job, and no prompt or input longer
than the image. The ledger is kept for good.`,
    )
    .action(showRetention);
}

async function showRetention(
  account: string,
  { json, ...changes }: Partial<Record<Kept['part'], Days>> & { json?: true },
): Promise<void> {
  const days = Object.entries(changes).map(([part, value]) => [part, value === 'default' ? null : value]);
  const kept = await withOperator((operator) =>
    days.length > 0
      ? operator.changeRetention(account, Object.fromEntries(days))
      : operator.listRetention(account),
  );
  if (json) printJson({ data: kept });
  else printTable(columns, kept);
}

const columns: Column<Kept>[] = [
  { title: 'WHAT', cell: ({ part }) => part },
  { title: 'DAYS', cell: ({ days }) => (days === null ? 'for good' : String(days)), align: 'right' },
  { title: 'SET FOR', cell: ({ own }) => (own ? 'this account' : 'the installation') },
];

function parseDays(text: string): Days {
  if (text === 'default') return text;
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a number of days, or "default".');
}
