import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

/**
 * Whether a request comes from a page of this server: its `Origin` names the host that the request went to, or the
 * configured address where a proxy stands between. Another site can set neither.
 *
 * @throws AppError `origin_refused`
 */
export function assertOwnOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn =
    origin !== undefined && (origin === new URL(publicUrl).origin || hostOf(origin) === host?.toLowerCase());
  if (isOwn && (site === undefined || site === 'same-origin')) return;
  throw new AppError('origin_refused', 'This request did not come from a page of the panel.');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
