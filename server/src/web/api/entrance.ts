import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../../accounts/authenticate.ts';
import type { ApiKey } from '../../accounts/key-store.ts';
import { assertMayComeFrom } from '../../accounts/keys/key-networks.ts';
import type { Rate, RateLimit, RateLimiter, Verdict } from '../../base/http/rate-limit.ts';
import { AppError } from '../../errors.ts';
import { type LimitDefaults, type Meter, rateMeters } from '../../money/limits/limit.ts';
import type { RefuseKey } from './refuse-key.ts';

declare module 'fastify' {
  interface FastifyRequest {
    apiKey: ApiKey;
  }
}

export interface Entrance {
  /**
   * Checks the key and rate limit, and sets `request.apiKey`. Returns a promise only if it has to look up the key.
   * @throws AppError `key_missing`, `key_invalid`, `token_forbidden`, `origin_refused`, `address_refused`,
   * `too_many_requests`
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
  limiter: RateLimiter;
  rateLimit: RateLimit | null;
  limitDefaults: LimitDefaults;
  refuseKey: RefuseKey;
}

export function createEntrance(deps: EntranceDeps): Entrance {
  const { authenticator, limiter, refuseKey } = deps;
  // The rate limits of each key. The authenticator reads a key again after a second, so changed limits soon apply.
  const known = new WeakMap<ApiKey, Pace>();
  const paceOf = (key: ApiKey) => {
    const pace = known.get(key) ?? toPace(ratesOf(key, deps));
    known.set(key, pace);
    return pace;
  };
  return {
    admit(request, reply, readToken, takesTokens = false) {
      const enter = (key: ApiKey) => {
        if (key.networks !== null) assertMayComeFrom(key.networks, request.clientAddress);
        request.apiKey = key;
        limitRate(limiter, paceOf(key), reply);
        return key;
      };
      const refuse = (error: unknown) => {
        throw refuseKey(error, request);
      };
      try {
        const from = takesTokens ? request.headers : undefined;
        const key = authenticator.authenticate(readToken(request), from, request.clientAddress);
        return key instanceof Promise ? key.then(enter, refuse) : enter(key);
      } catch (error) {
        return refuse(error);
      }
    },
  };
}

interface OwnRate extends Rate {
  of: 'key' | 'account';
  name: string;
  words: string;
}

interface Pace {
  rates: readonly OwnRate[];
  policy: string;
}

const unlimited: readonly OwnRate[] = [];

function toPace(rates: readonly OwnRate[]): Pace {
  const policies = rates.map(
    ({ name, burst, perSecond }) => `"${name}";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
  );
  return { rates, policy: policies.join(', ') };
}

function ratesOf(
  key: ApiKey,
  { rateLimit, limitDefaults }: Pick<EntranceDeps, 'rateLimit' | 'limitDefaults'>,
) {
  const { rates: own = [] } = key;
  const defaults = defaultRates(limitDefaults);
  if (!rateLimit && own.length === 0 && defaults.length === 0) return unlimited;
  const hasOwn = (kind: 'account' | 'key', meter: Meter) =>
    own.some((limit) => limit.subject.kind === kind && limit.meter === meter);
  const rates = own.flatMap(({ subject, meter, most }) =>
    most === null ? [] : toRate(subject.kind === 'account' ? 'account' : 'key', subject.id, meter, most),
  );
  for (const { of, meter, most } of defaults)
    if (!hasOwn(of, meter)) rates.push(toRate(of, of === 'account' ? key.accountId : key.id, meter, most));
  if (rateLimit && !hasOwn('key', 'second'))
    rates.push({
      of: 'key',
      name: 'key',
      id: key.id,
      words: `${rateLimit.perSecond} requests a second`,
      ...rateLimit,
    });
  return rates;
}

function defaultRates(defaults: LimitDefaults) {
  return (['account', 'key'] as const).flatMap((of) =>
    rateMeters.flatMap((meter) => {
      const most = defaults[of][meter];
      return most === undefined ? [] : { of, meter, most };
    }),
  );
}

function toRate(of: OwnRate['of'], subjectId: string, meter: Meter, most: bigint): OwnRate {
  const burst = Number(most);
  const perSecond = meter === 'minute' ? burst / 60 : burst;
  const name = meter === 'minute' ? `${of}-minute` : of;
  return { of, name, id: `${subjectId} ${meter}`, words: `${most} requests a ${meter}`, perSecond, burst };
}

/**
 * Sets the `RateLimit` headers (IETF draft). They describe the limit that allows the fewest requests now or, if several
 * allow equally few, the one that recovers last.
 */
function limitRate(limiter: RateLimiter, { rates, policy }: Pace, reply: FastifyReply): void {
  if (rates.length === 0) return;
  const verdicts = limiter(rates);
  reply.header('ratelimit-policy', policy);
  const verdict = verdicts.reduce((one, other) => (isNearer(other, one) ? other : one));
  const rate = rates[verdicts.indexOf(verdict)];
  if (!rate) return;
  reply.header('ratelimit', `"${rate.name}";r=${verdict.remaining};t=${verdict.resetSeconds}`);
  // A limit that refuses has no requests left, so the headers already describe it.
  if (verdict.allowed) return;
  const who = rate.of === 'key' ? 'This key' : 'This account';
  throw new AppError('too_many_requests', `${who} may send ${rate.words}. Wait and send the request again.`, {
    retryAfterSeconds: Math.max(1, verdict.resetSeconds),
  });
}

function isNearer(one: Verdict, other: Verdict): boolean {
  return (
    one.remaining < other.remaining ||
    (one.remaining === other.remaining && one.resetSeconds > other.resetSeconds)
  );
}
