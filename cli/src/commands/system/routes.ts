import type { Command } from 'commander';
import { formatTime } from '../../format.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, paintStatus, printJson, printTable, tell } from '../../output.ts';

type RouteReport = Answer<'routes'>['routes'][number];

export function addRoutes(program: Command): void {
  program
    .command('routes')
    .description('the providers of each model, and their state')
    .option('--check', 'ask each provider whether it works; makes no image and costs nothing')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nCounts and times are those of the last 24 hours. COST is the cost of a delivered image, failures included, over the last seven days; ↑: the cheapest is tried first.',
    )
    .action(showRoutes);
}

async function showRoutes({ check = false, json }: { check?: boolean; json?: true }): Promise<void> {
  const { routes, uncovered } = await withOperator((operator) => operator.routes({ check }));
  if (json) return printJson({ routes, uncovered });
  printTable(columns(check), routes);
  for (const route of routes) for (const line of notesOf(route)) tell(line);
  for (const gap of uncovered) tell(`Uncovered: ${gap}`);
}

function columns(check: boolean): Column<RouteReport>[] {
  return [
    { title: 'ROUTE', cell: ({ route }) => route },
    { title: 'UPSTREAM', cell: ({ provider, upstream_model }) => upstream_model ?? provider },
    { title: 'STATE', cell: ({ state }) => paintStatus(state) },
    { title: 'RUNNING', cell: ({ running, slots }) => `${running}/${slots}`, align: 'right' },
    { title: 'DONE', cell: ({ done }) => String(done), align: 'right' },
    { title: 'FAILED', cell: ({ failed }) => String(failed), align: 'right' },
    {
      title: 'COST',
      cell: ({ cost_with_failures: cost, by_cost: isCheapestFirst }) =>
        `${cost ?? '-'}${isCheapestFirst ? ' ↑' : ''}`,
      align: 'right',
    },
    {
      title: 'P50',
      cell: ({ p50_seconds: p50 }) => (p50 === null ? '-' : `${p50.toFixed(1)} s`),
      align: 'right',
    },
    ...(check
      ? [{ title: 'CHECK', cell: ({ check: found }: RouteReport) => (found?.ok ? 'ok' : 'failed') }]
      : []),
  ];
}

function notesOf({
  route,
  until,
  reason,
  detail,
  last_error,
  check,
  upstream_end: end,
}: RouteReport): string[] {
  const notes = [];
  if (end) notes.push(`${route}: ${end.notice}`);
  if (reason !== null) {
    const rest =
      until === null ? 'the next job finds out whether it works again' : `no jobs until ${formatTime(until)}`;
    notes.push(`${route}: ${reason}, ${rest}${detail === null ? '' : `: ${detail}`}`);
  } else if (last_error !== null) notes.push(`${route}: the last job that failed says: ${last_error}`);
  if (check && !check.ok) notes.push(`${route}: check: ${check.detail ?? 'failed'}`);
  return notes;
}
