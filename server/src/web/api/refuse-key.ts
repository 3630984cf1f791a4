import type { FastifyRequest } from 'fastify';
import { createRateLimiter, type RateLimit, takeOne } from '../../base/http/rate-limit.ts';
import type { Clock } from '../../base/std/clock.ts';
import { networkOf } from '../../base/std/networks/network-of.ts';
import { AppError } from '../../errors.ts';

/** Returns the error to send. Counts wrong keys of all kinds together. */
export type RefuseKey = (error: unknown, request: FastifyRequest) => unknown;

/** Makes clients wait after many wrong keys, but never delays valid keys. */
export function createRefuseKey(clock: Clock, limit: RateLimit | null): RefuseKey {
  const limiter = createRateLimiter(clock);
  return (error, request) => {
    if (!limit) return error;
    if (!(error instanceof AppError) || !['key_missing', 'key_invalid'].includes(error.code)) return error;
    const { allowed, resetSeconds } = takeOne(limiter, { id: networkOf(request.clientAddress), ...limit });
    if (allowed) return error;
    const detail = 'Too many requests with wrong keys came from your address. Wait before trying another.';
    return new AppError('too_many_requests', detail, { retryAfterSeconds: resetSeconds });
  };
}
