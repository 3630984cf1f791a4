import type { Command } from 'commander';
import { formatTime } from '../../format.ts';
import { withOperator } from '../../operator.ts';
import { printFacts, printJson } from '../../output.ts';
import { stateOf } from './webhook-list.ts';

export function addWebhookShow(webhook: Command): void {
  webhook
    .command('show')
    .description('address, health and signing secret')
    .requiredOption('--account <account>', 'id or name')
    .option('--endpoint <id>', 'that one instead of the default')
    .option('--json', 'print one JSON object')
    .action(showWebhook);
}

interface Options {
  account: string;
  endpoint?: string;
  json?: true;
}

async function showWebhook({ account, endpoint = 'default', json }: Options): Promise<void> {
  const { shown, signing } = await withOperator(async (operator) => ({
    signing: await operator.revealEndpointSecret(account, endpoint),
    shown: (await operator.listEndpoints(account)).find(isNamed(endpoint)),
  }));
  if (json) return printJson({ ...shown, ...signing });
  printFacts([
    ['account', signing.account_id],
    ['url', shown?.url ?? 'none'],
    ['events', shown?.events?.join(', ') ?? 'all'],
    ['state', shown ? stateOf(shown) : 'no webhook'],
    ...signing.secrets.map(
      ({ secret, expires_at }) =>
        ['secret', expires_at === null ? secret : `${secret} until ${formatTime(expires_at)}`] as const,
    ),
  ]);
}

const isNamed = (name: string) => (endpoint: { endpoint_id: string; is_default: boolean }) =>
  name === 'default' ? endpoint.is_default : endpoint.endpoint_id === name;
