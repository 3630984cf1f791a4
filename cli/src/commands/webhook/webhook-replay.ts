import type { Command } from 'commander';
import { parseDurationMs } from '../../arguments.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addWebhookReplay(webhook: Command): void {
  webhook
    .command('replay')
    .description('replay events that were not delivered, under the same ids')
    .requiredOption('--account <account>', 'id or name')
    .option('--since <duration>', 'only events of the last 1h, 7d, …', parseDurationMs)
    .option('--event <id>', 'only this event, delivered or not')
    .option('--endpoint <id>', 'only to this endpoint')
    .option('--delivered', 'also replay delivered ones')
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
  const { replayed: deliveries } = await withOperator((operator) =>
    operator.replayDeliveries(account, {
      ...(since !== undefined && { from: new Date(Date.now() - since).toISOString() }),
      ...(event !== undefined && { event_id: event }),
      ...(endpoint !== undefined && { endpoint_id: endpoint }),
      ...(delivered && { delivered }),
    }),
  );
  if (json) return printJson({ deliveries });
  tell(
    deliveries === 0
      ? 'Nothing to deliver: every event was delivered, is pending, or has no endpoint.'
      : `${deliveries} deliveries are on their way. Watch them: darkroom webhook deliveries --account ${account}`,
  );
}
