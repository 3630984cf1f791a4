import type { Command } from 'commander';
import { formatDuration, formatTime } from '../format.ts';
import { type Answer, withOperator } from '../operator.ts';
import { printFacts, printJson } from '../output.ts';

type ServerStatus = Answer<'status'>;

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('queue, pauses, routes and where the data is')
    .option('--json', 'print one JSON object')
    .action(showStatus);
}

async function showStatus({ json }: { json?: true }): Promise<void> {
  const status = await withOperator((operator) => operator.status());
  if (json) printJson(status);
  else printFacts(factsOf(status));
}

function factsOf(status: ServerStatus): [string, string][] {
  const oldest =
    status.oldest_queued_ms === null ? '' : `, the oldest for ${formatDuration(status.oldest_queued_ms)}`;
  const facts: [string, string][] = [
    ['version', status.version],
    ['database', status.database],
    ['storage', status.storage],
    ['accounts', String(status.accounts)],
    ['queued', `${status.queued}${oldest}`],
    ['processing', String(status.processing)],
  ];
  if (status.pauses.length === 0) facts.push(['paused', 'nothing']);
  for (const { scope, reason, until } of status.pauses) {
    const end = until === null ? 'until resumed' : `until ${formatTime(until)}`;
    facts.push([
      'paused',
      `${scope === 'project' ? 'everything' : scope} ${end}${reason === null ? '' : `: ${reason}`}`,
    ]);
  }
  for (const { model, provider, upstream_model, slots } of status.routes) {
    facts.push(['route', `${model} → ${provider} ${upstream_model}, ${slots} at a time`]);
  }
  return facts;
}
