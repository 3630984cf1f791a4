import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { MeteredRoute, Metrics } from './collect-metrics.ts';

export interface MetricsDeps {
  database: Database;
  routes: readonly MeteredRoute[];
  /** Whoever sends it may read from anywhere; without one, only this machine may. */
  token: string | null;
}

/** `GET /metrics`, for Prometheus. To all others it is not there. */
export function registerMetrics(server: FastifyInstance, { database, routes, token }: MetricsDeps): void {
  let metrics: Promise<Metrics> | undefined;
  // Loaded at the first reading: an installation that nobody watches saves the time and the memory.
  const open = async () => (await import('./collect-metrics.ts')).createMetrics(database, routes);

  server.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (!mayRead(request, token)) throw new AppError('not_found', 'There is nothing at this address.');
    metrics ??= open();
    const { read, contentType } = await metrics;
    return reply.type(contentType).send(await read());
  });
}

const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const forwarding = ['forwarded', 'x-forwarded-for', 'via', 'x-real-ip'];

function mayRead(request: FastifyRequest, token: string | null): boolean {
  if (token !== null) return isSame(request.headers.authorization ?? '', `Bearer ${token}`);
  // A proxy on this machine speaks for somebody else.
  const isForwarded = forwarding.some((name) => request.headers[name] !== undefined);
  return !isForwarded && loopback.has(request.socket.remoteAddress ?? '');
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
