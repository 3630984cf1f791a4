import type { Command } from 'commander';
import { parseDurationMs, parseModel } from '../../arguments.ts';
import { formatDuration } from '../../format.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';
import { everything, nameOfScope, pauseScopes } from './pause-scope.ts';

export function addPause(program: Command): void {
  program
    .command('pause')
    .description('accept no new jobs of one model, of one account or of all')
    .argument('[scope]', pauseScopes, parseModel)
    .option('--reason <text>', 'the reason shown to refused clients')
    .option(
      '--for <duration>',
      'the time until it ends, such as 1h (default: until resumed)',
      parseDurationMs,
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Running jobs finish. Jobs that wait for a paused model wait until the pause ends; the accepted jobs of a
paused account continue.

Examples:
  darkroom pause
  darkroom pause pro --reason "provider is down" --for 1h`,
    )
    .action(pause);
}

interface Options {
  reason?: string;
  for?: number;
  json?: true;
}

async function pause(scope = everything, { reason, for: forMs, json }: Options): Promise<void> {
  await withOperator((operator) =>
    operator.pause(scope, {
      ...(reason !== undefined && { reason }),
      ...(forMs !== undefined && { for: forMs / 1000 }),
    }),
  );
  if (json) return printJson({ scope, paused: true, reason: reason ?? null, for_ms: forMs ?? null });
  const length =
    forMs === undefined
      ? `until: darkroom resume${scope === everything ? '' : ` ${scope}`}`
      : `for ${formatDuration(forMs)}`;
  tell(`${nameOfScope(scope)} is paused ${length}`);
}
