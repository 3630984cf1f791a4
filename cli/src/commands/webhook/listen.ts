import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountEvent } from '@darkroom/sdk';
import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { connect } from '../../client.ts';
import { exitCodes } from '../../exit-codes.ts';
import { formatTime } from '../../format.ts';
import { interruptible } from '../../interruptible.ts';
import { paintStatus, printJson, printLine, type Text, tell } from '../../output.ts';
import { userAgent } from '../../user-agent.ts';

export function addListen(program: Command): void {
  program
    .command('listen')
    .description('show events as they happen, and forward them to a receiver on this machine')
    .option('-f, --forward <url>', 'post each event to this URL, signed as a webhook')
    .option('--secret <whsec>', 'sign with this secret (default: a new one, which is printed)')
    .option('--json', 'print one JSON object for each event')
    .action(listen);
}

interface Options {
  forward?: string;
  secret?: string;
  json?: true;
}

const lookEveryMs = 1_000;
const forwardTimeoutMs = 15_000;

/** Runs until interrupted. Failed deliveries are reported but not retried, because this is for development. */
async function listen({ forward, secret = newSecret(), json }: Options): Promise<void> {
  if (forward !== undefined && !/^https?:\/\//.test(forward)) {
    throw new CliError(
      exitCodes.usage,
      `--forward is "${forward}".`,
      'give an address such as http://localhost:4000/hook',
    );
  }
  const darkroom = await connect({ patient: true });
  const farewell = { message: 'Stopped listening.', next: 'events are stored; GET /events lists them all' };
  await interruptible(farewell, async (signal) => {
    let { next_cursor: cursor } = await darkroom.listEvents({ cursor: 'now' }, { signal });
    tell(forward === undefined ? 'Listening.' : `Listening. Forwarding to ${forward}, signed with ${secret}`);
    for (;;) {
      const page = await darkroom.listEvents({ cursor, limit: 100 }, { signal });
      for (const event of page.data) {
        const outcome =
          forward === undefined ? undefined : await forwardEvent(event, forward, secret, signal);
        if (json) printJson({ ...event, ...(outcome !== undefined && { forwarded: outcome }) });
        else printLine(...lineOf(event, outcome));
      }
      cursor = page.next_cursor;
      if (!page.has_more)
        await sleep(lookEveryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  });
}

function lineOf({ timestamp, data, type }: AccountEvent, outcome: string | undefined): Text[] {
  const arrow = outcome === undefined ? '' : `  → ${outcome}`;
  return [`${formatTime(timestamp)}  ${type}  ${data.job_id}  `, paintStatus(data.status), arrow];
}

async function forwardEvent(
  { id, ...event }: AccountEvent,
  url: string,
  secret: string,
  signal: AbortSignal,
): Promise<string> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  try {
    const answer = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(forwardTimeoutMs)]),
    });
    await answer.body?.cancel();
    return String(answer.status);
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
