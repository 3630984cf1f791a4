import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { socketOf } from '../../base/http/connections/socket-of.ts';
import { isThisMachine } from '../../base/http/host-names.ts';
import { hidden } from '../../base/http/schemas.ts';
import { AppError } from '../../errors.ts';
import type { Metrics } from '../../jobs/upkeep/create-metrics.ts';

export interface MetricsDeps {
  openMetrics(): Promise<Metrics>;
  /** A client with this token may read from anywhere. If null, only this machine may, and not through a proxy. */
  token: string | null;
  /** True if a proxy forwards requests. Requests through a proxy can seem to come from this machine. */
  isBehindProxy: boolean;
}

export function registerMetrics(
  server: FastifyInstance,
  { openMetrics, token, isBehindProxy }: MetricsDeps,
): void {
  server.get('/metrics', hidden, async (request, reply) => {
    const isAllowed =
      token === null ? !isBehindProxy && isFromThisMachine(request) : hasToken(request, token);
    if (!isAllowed) throw new AppError('not_found', 'There is nothing at this address.');
    const { read, contentType } = await openMetrics();
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

/**
 * Whether a request comes from this machine. Excludes requests through a proxy here, and requests from pages whose
 * domain name resolves to this machine (DNS rebinding).
 */
function isFromThisMachine({ headers, raw }: FastifyRequest): boolean {
  const isForwarded = forwarding.some((name) => headers[name] !== undefined);
  return !isForwarded && loopback.has(socketOf(raw)?.remoteAddress ?? '') && isThisMachine(headers.host);
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const [given, wanted] = [Buffer.from(headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
