import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../accounts/authenticate.ts';
import type { ApiKey } from '../accounts/key-store.ts';
import { AppError } from '../errors.ts';
import { createRateLimiter, type RateLimit, type RateLimiter } from '../http/rate-limit.ts';
import type { Clock } from '../std/clock.ts';
import { networkOf } from '../std/network-of.ts';

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey;
  }
}

/** Where every request with an API key comes in, whichever API it speaks. */
export interface Entrance {
  /**
   * Checks the key of a request and the limit of its rate, and sets `request.apiKey`. Returns a promise only
   * when the key has to be looked up.
   *
   * @param takesTokens whether a client token may make the request too
   * @throws AppError `key_missing`, `key_invalid`, `token_forbidden`, `origin_refused`, `too_many_requests`
   */
  admit(
    request: FastifyRequest,
    reply: FastifyReply,
    readToken: ReadToken,
    takesTokens?: boolean,
  ): ApiKey | Promise<ApiKey>;
}

/** @throws AppError `key_missing` */
type ReadToken = (request: FastifyRequest) => string;

export interface EntranceDeps {
  authenticator: Authenticator;
  clock: Clock;
  rateLimit: RateLimit | null;
  /** Valid keys never wait for it. */
  wrongKeyLimit: RateLimit | null;
}

export function createEntrance({ authenticator, clock, rateLimit, wrongKeyLimit }: EntranceDeps): Entrance {
  const wrong = wrongKeyLimit && createRateLimiter(wrongKeyLimit, clock);
  const limiter = rateLimit && createRateLimiter(rateLimit, clock);
  return {
    admit(request, reply, readToken, takesTokens = false) {
      const enter = (key: ApiKey) => {
        request.apiKey = key;
        if (limiter && rateLimit) limit(limiter, rateLimit, key, reply);
        return key;
      };
      const refuse = (error: unknown) => {
        throw wrong ? slowDown(error, wrong, request) : error;
      };
      try {
        const key = authenticator.authenticate(readToken(request), takesTokens ? request.headers : undefined);
        return key instanceof Promise ? key.then(enter, refuse) : enter(key);
      } catch (error) {
        return refuse(error);
      }
    },
  };
}

/** Tells a client that tries many wrong keys to wait. */
function slowDown(error: unknown, wrong: RateLimiter, request: FastifyRequest): unknown {
  if (!(error instanceof AppError) || !['key_missing', 'key_invalid'].includes(error.code)) return error;
  const { allowed, resetSeconds } = wrong.take(networkOf(request.clientAddress));
  if (allowed) return error;
  const detail = 'Too many requests with wrong keys came from your address. Wait before trying another.';
  return new AppError('too_many_requests', detail, { retryAfterSeconds: resetSeconds });
}

/** `RateLimit` headers as in the IETF draft that Cloudflare and others follow. */
function limit(
  limiter: RateLimiter,
  { perSecond, burst }: RateLimit,
  key: ApiKey,
  reply: FastifyReply,
): void {
  const { allowed, remaining, resetSeconds } = limiter.take(key.id);
  reply.header('ratelimit-policy', `"key";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`);
  reply.header('ratelimit', `"key";r=${remaining};t=${resetSeconds}`);
  if (allowed) return;
  throw new AppError(
    'too_many_requests',
    `This key may send ${perSecond} requests a second. Wait and send the request again.`,
    {
      retryAfterSeconds: Math.max(1, resetSeconds),
    },
  );
}
