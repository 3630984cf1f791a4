import type { Usage, UsageSplit } from '@darkroom/sdk';
import { type Command, Option } from 'commander';
import { connect } from '../../client.ts';
import { type Column, printJson, printTable, tell } from '../../output.ts';

export function addUsage(program: Command): void {
  program
    .command('usage')
    .description('jobs and cost per day')
    .option('--from <day>', 'the first day, such as 2026-11-01')
    .option('--to <day>', 'the last day, included')
    .addOption(new Option('--by <what>', 'split by').choices(['model', 'key']))
    .option('--json', 'print one JSON object, with every day and its parts')
    .action(showUsage);
}

interface Options {
  from?: string;
  to?: string;
  by?: UsageSplit;
  json?: true;
}

async function showUsage({ json, by, ...days }: Options): Promise<void> {
  const darkroom = await connect();
  const usage = await darkroom.usage({ ...days, ...(by !== undefined && { group_by: by }) });
  if (json) return printJson(usage);
  if (usage.total.jobs === 0) return tell(`No jobs from ${usage.from} to ${usage.to}.`);
  if (by) return printTable(seriesColumns(usage), usage.series);
  const used = usage.days.filter(({ jobs }) => jobs > 0);
  printTable(dayColumns, [...used, { ...usage.total, day: 'total' }]);
}

function seriesColumns({ group_by: by }: Usage): Column<Usage['series'][number]>[] {
  return [
    { title: by.toUpperCase(), cell: ({ id }) => id },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'JOBS', cell: ({ jobs }) => String(jobs), align: 'right' },
    { title: 'COST', cell: ({ cost }) => cost, align: 'right' },
  ];
}

const dayColumns: Column<Usage['total'] & { day: string }>[] = [
  { title: 'DAY', cell: ({ day }) => day },
  { title: 'JOBS', cell: ({ jobs }) => String(jobs), align: 'right' },
  { title: 'DONE', cell: ({ done }) => String(done), align: 'right' },
  { title: 'FAILED', cell: ({ failed }) => String(failed), align: 'right' },
  { title: 'COST', cell: ({ cost }) => cost, align: 'right' },
];
