import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { isThisMachine } from '../http/host-names.ts';
import type { MeteredRoute, Metrics } from '../upkeep/collect-metrics.ts';

export interface MetricsDeps {
  database: Database;
  routes: readonly MeteredRoute[];
  /** Whoever sends it may read from anywhere; without one, only this machine may, where nothing stands before it. */
  token: string | null;
  /** What a proxy passes on looks as if this machine asked. */
  isBehindProxy: boolean;
}

/** `GET /metrics`, for Prometheus. To all others it is not there. */
export function registerMetrics(
  server: FastifyInstance,
  { database, routes, token, isBehindProxy }: MetricsDeps,
): void {
  let metrics: Promise<Metrics> | undefined;
  // Loaded at the first reading: an installation that nobody watches saves the time and the memory.
  const open = async () => (await import('../upkeep/collect-metrics.ts')).createMetrics(database, routes);

  server.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const isAllowed =
      token === null ? !isBehindProxy && isFromThisMachine(request) : hasToken(request, token);
    if (!isAllowed) throw new AppError('not_found', 'There is nothing at this address.');
    metrics ??= open();
    const { read, contentType } = await metrics;
    return reply.type(contentType).send(await read());
  });
}

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const forwarding = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
  'x-real-ip',
];

/** A proxy on this machine speaks for somebody else, and so does a page whose name leads here. */
function isFromThisMachine({ headers, socket }: FastifyRequest): boolean {
  const isForwarded = forwarding.some((name) => headers[name] !== undefined);
  return !isForwarded && loopback.has(socket.remoteAddress ?? '') && isThisMachine(headers.host);
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const [given, wanted] = [Buffer.from(headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
