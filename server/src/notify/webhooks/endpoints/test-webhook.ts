import type { Database } from '../../../base/db/database.ts';
import type { Guard } from '../../../base/guard/guard.ts';
import type { Clock } from '../../../base/std/clock.ts';
import { newId } from '../../../base/std/ids.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { AppError, invalidField } from '../../../errors.ts';
import { isBucket, reachedAt } from '../buckets/bucket-target.ts';
import type { AttemptResult } from '../delivery.ts';
import { signingSecrets } from '../secrets/secret-store.ts';
import { secretUnreadable } from '../secrets/secret-unreadable.ts';
import { exchangeMs, sendWebhook } from '../send-webhook.ts';
import { signRequest } from '../sign-request.ts';
import { presentEvent } from '../webhook-body.ts';
import { assertTarget, type CheckTarget } from '../webhook-target.ts';
import { type EndpointName, showWebhook } from './show-webhook.ts';
import { testBucket } from './test-bucket.ts';

export interface TestResult extends AttemptResult {
  url: string;
  webhookId: string;
}

/**
 * The maximum number of concurrent tests of a host, for all accounts together. People run one test at a time; programs
 * could attack a host with tests.
 */
const testsPerHost = 4;
const underWay = new Map<string, number>();

/**
 * Sends a signed `webhook.test` to the endpoint (or `url`), or puts a small object into a bucket. Does not retry.
 * @throws AppError `not_found`, `webhook_secret_unreadable`, `nothing_to_deliver`, `invalid_request`,
 * `too_many_requests`
 */
export async function testWebhook(
  deps: {
    database: Database;
    clock: Clock;
    guard: Pick<Guard, 'agent'>;
    checkTarget: CheckTarget;
    sealer: Sealer;
  },
  { url: wanted, ...name }: EndpointName & { url?: string },
): Promise<TestResult> {
  const { clock, checkTarget } = deps;
  const { accountId, endpoint, secrets } = await showWebhook(deps, name);
  const url = wanted ?? endpoint?.url;
  if (url === undefined)
    throw new AppError('nothing_to_deliver', 'The account has no webhook. Set one first.');
  if (endpoint && isBucket(endpoint.url) && url !== endpoint.url)
    throw invalidField('/url', 'is only for webhooks: a bucket is tested at its own address.');
  assertTarget(checkTarget, reachedAt(url));
  using _slot = takeSlot(new URL(url).host);
  if (endpoint && isBucket(url)) return { url, webhookId: '', ...(await testBucket(deps, endpoint)) };
  const own = signingSecrets(secrets);
  if (own.length === 0) throw secretUnreadable();
  const nowMs = clock.nowMs();
  const id = `evt_test_${newId(nowMs).replaceAll('-', '')}`;
  const payload = presentEvent({ type: 'webhook.test', createdAt: nowMs }, { account_id: accountId });
  const request = signRequest({ url, id, payload }, own, nowMs);
  const agent = await deps.guard.agent();
  try {
    const context = {
      dispatcher: agent,
      checkTarget,
      nowMs: () => clock.nowMs(),
      signal: new AbortController().signal,
    };
    return { url, webhookId: id, ...(await sendWebhook(request, context)) };
  } finally {
    await agent.destroy();
  }
}

function takeSlot(host: string): Disposable {
  const taken = underWay.get(host) ?? 0;
  if (taken >= testsPerHost) {
    const detail = `${testsPerHost} webhook tests at this host are running. Wait for their answers.`;
    throw new AppError('too_many_requests', detail, { retryAfterSeconds: exchangeMs / 1000 });
  }
  underWay.set(host, taken + 1);
  return {
    [Symbol.dispose]() {
      const left = (underWay.get(host) ?? 1) - 1;
      if (left > 0) underWay.set(host, left);
      else underWay.delete(host);
    },
  };
}
