import type { ModelId } from '@darkroom/sdk';
import type { Command } from 'commander';
import { parseDurationMs, parseModel } from '../../arguments.ts';
import { formatDuration } from '../../format.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addPause(program: Command): void {
  program
    .command('pause')
    .description('accept no new jobs, of one model or of all; running jobs finish')
    .argument('[model]', 'nb, nb2 or pro (default: the whole installation)', parseModel)
    .option('--reason <text>', 'the reason shown to refused clients')
    .option(
      '--for <duration>',
      'the time until it ends, such as 1h (default: until resumed)',
      parseDurationMs,
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  darkroom pause\n  darkroom pause pro --reason "provider is down" --for 1h',
    )
    .action(pause);
}

interface Options {
  reason?: string;
  for?: number;
  json?: true;
}

async function pause(model: ModelId | undefined, { reason, for: forMs, json }: Options): Promise<void> {
  const scope = model ?? 'project';
  await withOperator((operator) =>
    operator.pause(scope, {
      ...(reason !== undefined && { reason }),
      ...(forMs !== undefined && { for: forMs / 1000 }),
    }),
  );
  if (json) return printJson({ scope, paused: true, reason: reason ?? null, for_ms: forMs ?? null });
  const what = model === undefined ? 'Everything' : `Model ${model}`;
  const length =
    forMs === undefined
      ? `until: darkroom resume${model === undefined ? '' : ` ${model}`}`
      : `for ${formatDuration(forMs)}`;
  tell(`${what} is paused ${length}`);
}
