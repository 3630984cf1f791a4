import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';

const bearer = /^Bearer ([^\s]+)$/i;

/** The key of the one `Authorization: Bearer` header. @throws AppError `key_missing` */
export function bearerToken({ headers, raw }: FastifyRequest): string {
  const header = headers.authorization;
  const token = header === undefined ? undefined : bearer.exec(header)?.[1];
  if (token === undefined || countHeaders(raw.rawHeaders, 'authorization') > 1) {
    throw new AppError('key_missing', 'Send your API key in one header: "Authorization: Bearer <API_KEY>".');
  }
  return token;
}

/** Node keeps the first of several; we want to know of them. */
function countHeaders(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count += 1;
  }
  return count;
}
