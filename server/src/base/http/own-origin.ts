import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { isUnregistrableHost } from './host-names.ts';

/**
 * Requires that `Origin` is our public address, or the request's own host if nobody can register its name.
 * @throws AppError `origin_refused`
 */
export function assertOwnOrigin({ headers }: FastifyRequest, publicUrl: string): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw refusal();
  if (origin === new URL(publicUrl).origin) return;
  if (origin === undefined || hostOf(origin) !== host?.toLowerCase()) throw refusal();
  if (!isUnregistrableHost(host))
    throw refusal(` The server does not know the name ${host}: set DARKROOM_PUBLIC_URL to ${origin}.`);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function refusal(why = ''): AppError {
  return new AppError('origin_refused', `This request did not come from a page of the panel.${why}`);
}
