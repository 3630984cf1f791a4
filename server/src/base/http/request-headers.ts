import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';

export const maxKeyLength = 255;
/** Visible ASCII characters. */
const keyPattern = `^[!-~]{1,${maxKeyLength}}$`;
/** The longest wait that a client can request. It is shorter than the timeouts of most proxies and clients. */
export const maxWaitSeconds = 60;

export const idempotencyHeader = (description: string) => ({
  'idempotency-key': { schema: { type: 'string', pattern: keyPattern }, description },
});

const visibleAscii = new RegExp(keyPattern);

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** Returns `Idempotency-Key` without quotes around it; null if there is none. @throws AppError `invalid_request` */
export function idempotencyKey({ headers }: WithHeaders): string | null {
  const value = headers['idempotency-key'];
  if (value === undefined) return null;
  const text = typeof value === 'string' ? value : value.join(', ');
  const key = text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
  if (visibleAscii.test(key)) return key;
  const detail = `must be sent once and have 1 to ${maxKeyLength} visible ASCII characters.`;
  throw new AppError('invalid_request', `The Idempotency-Key ${detail}`, {
    errors: [{ pointer: '/headers/idempotency-key', detail }],
  });
}

/** Returns the seconds of `Prefer: wait=N` (RFC 7240), at most 60; undefined without this preference. */
export function preferredWait({ headers }: WithHeaders): number | undefined {
  const match = /(?:^|[,;])\s*wait\s*=\s*"?(\d+)"?\s*(?:$|[,;])/i.exec(preferencesOf(headers));
  return match ? Math.min(maxWaitSeconds, Number(match[1])) : undefined;
}

/** Whether the client sent `Prefer: respond-async` (RFC 7240), so it does not wait for the result. */
export function prefersAsync({ headers }: WithHeaders): boolean {
  return /(?:^|[,;])\s*respond-async\s*(?:$|[,;])/i.test(preferencesOf(headers));
}

function preferencesOf({ prefer }: FastifyRequest['headers']): string {
  return typeof prefer === 'string' ? prefer : (prefer ?? []).join(',');
}

/** Whether a browser requests a page for a person. Scripts and other programs do not ask for HTML. */
export function isForPeople({ headers }: WithHeaders): boolean {
  return headers.accept?.includes('text/html') ?? false;
}
