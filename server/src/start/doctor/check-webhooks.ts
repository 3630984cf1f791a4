import type { Database } from '../../base/db/database.ts';
import type { Guard } from '../../base/guard/guard.ts';
import { reachedAt } from '../../notify/webhooks/buckets/bucket-target.ts';
import { createTargetCheck } from '../../notify/webhooks/webhook-target.ts';
import { listLiveEndpoints } from './examination-store.ts';
import { type Finding, reasonOf } from './finding.ts';

/** Only this many endpoints are checked, the newest, because an installation may have thousands. */
const mostEndpoints = 20;
const patienceMs = 10_000;

/** Calls endpoints without sending an event, because any answer to a HEAD request is enough. */
export async function checkWebhooks(database: Database, guard: Guard): Promise<Finding> {
  const name = 'webhooks';
  const endpoints = await listLiveEndpoints(database.read, mostEndpoints);
  if (endpoints.length === 0) return { name, status: 'ok', found: 'no endpoints yet' };
  const urls = new Map(
    endpoints.map(({ url }) => {
      const at = reachedAt(url);
      return [URL.parse(at)?.origin ?? at, at];
    }),
  );
  const missed = await findUnreached([...urls], guard);
  const failing = endpoints.filter((endpoint) => endpoint.failing_since !== null).length;
  const found = [
    `${urls.size - missed.length} of ${urls.size} receivers can be reached`,
    ...(failing > 0 ? [`${failing} of ${endpoints.length} endpoints have been failing`] : []),
    ...missed,
  ].join('; ');
  if (missed.length === urls.size)
    return {
      name,
      status: 'fail',
      found,
      next: 'let this machine connect to the internet; networks of your own belong in DARKROOM_ALLOW_NETWORKS',
    };
  if (missed.length === 0 && failing === 0) return { name, status: 'ok', found };
  return {
    name,
    status: 'warn',
    found,
    next: 'darkroom webhook deliveries shows the answers of their servers',
  };
}

async function findUnreached(
  urls: readonly [origin: string, url: string][],
  guard: Guard,
): Promise<string[]> {
  const checkTarget = createTargetCheck(guard);
  const agent = await guard.agent();
  try {
    const all = urls.map(async ([origin, url]) => {
      const verdict = checkTarget(url);
      if (!verdict.ok) return `${origin}: ${verdict.detail}`;
      const asked = { origin, path: '/', method: 'HEAD', signal: AbortSignal.timeout(patienceMs) } as const;
      try {
        await (await agent.request(asked)).body.dump();
        return undefined;
      } catch (error) {
        return `${origin}: ${reasonOf(error)}`;
      }
    });
    return (await Promise.all(all)).filter((text) => text !== undefined);
  } finally {
    await agent.destroy();
  }
}
