import type { Command } from 'commander';
import { parseDurationMs } from '../../arguments.ts';
import { onThisMachine } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addWebhookReplay(webhook: Command): void {
  webhook
    .command('replay')
    .description('deliver again what was not delivered, under the same ids')
    .requiredOption('--account <account>', 'id or name')
    .option('--since <duration>', 'only events of the last 1h, 7d, …', parseDurationMs)
    .option('--event <id>', 'only this event, delivered or not')
    .option('--endpoint <id>', 'only to this endpoint')
    .option('--delivered', 'also what was delivered before')
    .option('--json', 'print one JSON object')
    .action(replayDeliveries);
}

interface Options {
  account: string;
  since?: number;
  event?: string;
  endpoint?: string;
  delivered?: true;
  json?: true;
}

async function replayDeliveries({
  account,
  since,
  event,
  endpoint,
  delivered,
  json,
}: Options): Promise<void> {
  const result = await onThisMachine((operator) =>
    operator.replayDeliveries({
      account,
      ...(since !== undefined && { sinceMs: since }),
      ...(event !== undefined && { eventId: event }),
      ...(endpoint !== undefined && { endpointId: endpoint }),
      ...(delivered && { delivered }),
    }),
  );
  if (json) return printJson(result);
  tell(
    result.deliveries === 0
      ? 'Nothing to deliver: every event arrived, is on its way, or has nowhere to go.'
      : `${result.deliveries} deliveries are on their way. Watch them: darkroom webhook list --account ${account}`,
  );
}
