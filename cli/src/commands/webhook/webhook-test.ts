import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { formatDuration } from '../../format.ts';
import { withOperator } from '../../operator.ts';
import { printJson, tell } from '../../output.ts';

export function addWebhookTest(webhook: Command): void {
  webhook
    .command('test')
    .description('send one signed test event now')
    .requiredOption('--account <account>', 'id or name')
    .option('--endpoint <id>', 'that one instead of the default')
    .option('--url <url>', 'there instead of to its address')
    .option('--json', 'print one JSON object')
    .action(testWebhook);
}

interface Options {
  account: string;
  endpoint?: string;
  url?: string;
  json?: true;
}

async function testWebhook({ account, endpoint = 'default', url, json }: Options): Promise<void> {
  const result = await withOperator((operator) =>
    operator.testEndpoint(account, endpoint, url === undefined ? {} : { url }),
  );
  const took = formatDuration(result.duration_ms);
  const outcome =
    result.status === null ? result.failure : `${result.status} (${result.failure ?? 'delivered'})`;
  if (!result.ok) {
    throw new CliError(
      exitCodes.failed,
      `${result.url} did not take it: ${outcome} after ${took}.${said(result)}`,
      undefined,
      result,
    );
  }
  if (json) return printJson(result);
  tell(`${result.url} took it: ${outcome} after ${took}.`);
}

/** Shows a bucket's answer, which is our own text, but not a receiver's, which may contain anything. */
function said({ failure, answer }: { failure: string | null; answer: string | null }): string {
  return failure === 'bucket_refused' && answer !== null ? ` ${answer}.` : '';
}
