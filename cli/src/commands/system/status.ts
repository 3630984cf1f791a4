import type { Command } from 'commander';
import { formatDuration, formatTime } from '../../format.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { printFacts, printJson } from '../../output.ts';

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
    [
      'processing',
      `${status.processing}${status.resting > 0 ? `, and ${status.resting} waiting to be retried` : ''}`,
    ],
    ...status.waiting.map(({ model, jobs, reason }): [string, string] => [
      'waiting',
      `${model}: ${jobs}, because ${reason}`,
    ]),
    ...status.workers.map(({ worker, slots, jobs }): [string, string] => [
      'worker',
      `${worker}, ${jobs === 0 ? 'idle' : `${jobs} of ${slots} jobs`}`,
    ]),
  ];
  const versions = new Set(status.processes.map(({ version }) => version));
  if (versions.size > 1 || !versions.has(status.version))
    for (const { process, role, version } of status.processes)
      facts.push(['process', `${process}, ${role}, ${version}`]);
  if (status.workers.length === 0) facts.push(['worker', 'none is running']);
  if (status.pauses.length === 0) facts.push(['paused', 'nothing']);
  for (const { scope, reason, until } of status.pauses) {
    const end = until === null ? 'until resumed' : `until ${formatTime(until)}`;
    facts.push([
      'paused',
      `${scope === 'project' ? 'everything' : scope} ${end}${reason === null ? '' : `: ${reason}`}`,
    ]);
  }
  for (const { model, provider, upstream_model, slots, running, state, until, reason } of status.routes) {
    const rest = until === null ? '' : `, ${state} until ${formatTime(until)} (${reason})`;
    facts.push([
      'route',
      `${model} → ${provider} ${upstream_model ?? provider}, ${running} of ${slots} at a time${rest}`,
    ]);
  }
  return facts;
}
