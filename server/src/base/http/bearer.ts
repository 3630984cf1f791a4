import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { countHeaders } from './count-headers.ts';

const bearer = /^Bearer +(\S+)$/i;

/** Returns the key from the request's single `Authorization: Bearer` header. @throws AppError `key_missing` */
export function bearerToken({ headers, raw }: FastifyRequest, kind: 'API' | 'admin' = 'API'): string {
  const header = headers.authorization;
  const token = header === undefined ? undefined : bearer.exec(header)?.[1];
  if (token === undefined || countHeaders(raw, 'authorization') > 1) throw keyMissing(kind);
  return token;
}

export function keyMissing(kind: 'API' | 'admin' = 'API'): AppError {
  const placeholder = `<${kind.toUpperCase()}_KEY>`;
  return new AppError(
    'key_missing',
    `Send your ${kind} key in one header: "Authorization: Bearer ${placeholder}".`,
  );
}
