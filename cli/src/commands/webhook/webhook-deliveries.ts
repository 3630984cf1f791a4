import { type Command, Option } from 'commander';
import { parseLimit } from '../../arguments.ts';
import { formatAge } from '../../format.ts';
import { type Answer, withOperator } from '../../operator.ts';
import { type Column, paintStatus, printJson, printTable, tell } from '../../output.ts';

type DeliveryInfo = Answer<'listDeliveries'>['data'][number];

// This list repeats the server's list, because importing that list would load the server.
const statuses = ['pending', 'delivered', 'failed', 'cancelled'] as const satisfies DeliveryInfo['status'][];

export function addWebhookDeliveries(webhook: Command): void {
  webhook
    .command('deliveries')
    .description('the deliveries and why some failed, newest first')
    .requiredOption('--account <account>', 'id or name')
    .addOption(new Option('--status <status>', 'only those').choices(statuses))
    .option('--event <id>', 'only those of this event')
    .option('--endpoint <id>', 'only those to this endpoint')
    .option('-n, --limit <number>', '1 to 100', parseLimit, 20)
    .option('--json', 'print one JSON object, with every attempt')
    .action(listDeliveries);
}

interface Options {
  account: string;
  status?: DeliveryInfo['status'];
  event?: string;
  endpoint?: string;
  limit: number;
  json?: true;
}

async function listDeliveries({ account, status, event, endpoint, limit, json }: Options): Promise<void> {
  const { data: deliveries } = await withOperator((operator) =>
    operator.listDeliveries(account, {
      limit,
      ...(status && { status }),
      ...(event !== undefined && { event_id: event }),
      ...(endpoint !== undefined && { endpoint_id: endpoint }),
    }),
  );
  if (json) return printJson({ deliveries });
  if (deliveries.length === 0) return tell('No deliveries.');
  printTable(columns, deliveries);
}

const columns: Column<DeliveryInfo>[] = [
  { title: 'EVENT', cell: (delivery) => delivery.event_id },
  { title: 'TYPE', cell: (delivery) => delivery.type },
  { title: 'STATUS', cell: (delivery) => paintStatus(delivery.status) },
  { title: 'WHY', cell: (delivery) => delivery.last_failure ?? '' },
  { title: 'ATTEMPTS', cell: (delivery) => String(delivery.attempts), align: 'right' },
  { title: 'ANSWER', cell: (delivery) => String(delivery.last_status_code ?? ''), align: 'right' },
  { title: 'MADE', cell: (delivery) => formatAge(delivery.created_at, Date.now()) },
  { title: 'TO', cell: (delivery) => delivery.url },
];
