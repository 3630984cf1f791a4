import { AppError } from '../errors.ts';
import { formatMicros } from '../ledger/money.ts';
import { endOf, type JobMeter, type Limit } from '../limits/limit.ts';
import { toIso } from '../std/iso-time.ts';
import type { Admission } from './decide-admissions.ts';
import type { Pause } from './pause-store.ts';

export type Refusal = Exclude<Admission, { kind: 'admitted' | 'replayed' }>;

const pausedRetrySeconds = 30;

/** The error for a create that was not admitted; `priceMicros` is that of all its jobs. */
export function refusalError(
  refusal: Refusal,
  { priceMicros, count, nowMs }: { priceMicros: bigint; count: number; nowMs: number },
): AppError {
  switch (refusal.kind) {
    case 'key_reused':
      return new AppError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request. Use a new key for a new request.',
      );
    case 'in_progress':
      return new AppError(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key is still under way. Send it again shortly.',
        { retryAfterSeconds: Math.max(1, Math.ceil(refusal.leftMs / 1000)) },
      );
    case 'paused':
      return pausedError(refusal.pause, nowMs);
    case 'limited':
      return limitError(refusal.limit, priceMicros, count);
    case 'insufficient': {
      const required = formatMicros(priceMicros);
      const available = formatMicros(refusal.availableMicros);
      const detail = `${costs(count)} ${required} and ${available} is available. Add credit and send it again.`;
      return new AppError('insufficient_funds', detail, { available, required });
    }
  }
}

function costs(count: number): string {
  return count === 1 ? 'This job costs' : `These ${count} jobs cost`;
}

const inWords = { account: 'account', key: 'key', client_token: 'client token' } as const;

function limitError(limit: Limit<JobMeter>, priceMicros: bigint, count: number): AppError {
  const { subject, meter, used } = limit;
  const who = `this ${inWords[subject.kind]}`;
  const endsAt = endOf(limit);
  const about = { of: subject.kind, per: meter, resets_at: endsAt === null ? null : toIso(endsAt) };
  if (meter === 'open') {
    const most = String(limit.most);
    const detail = `T${who.slice(1)} may have ${most} unfinished jobs, and has ${used}. Wait until some have ended.`;
    return new AppError('open_jobs_limit_reached', detail, { limit: { ...about, most } });
  }
  const most = formatMicros(limit.most);
  const required = formatMicros(priceMicros);
  const available = formatMicros(used < limit.most ? limit.most - used : 0n);
  const each = meter === 'total' ? 'in all' : `${meter === 'hour' ? 'an' : 'a'} ${meter}`;
  const anew = about.resets_at === null ? '' : ` The limit starts anew at ${about.resets_at}.`;
  const detail = `${costs(count)} ${required}, and ${available} is left of the ${most} ${each} that ${who} may spend.${anew}`;
  return new AppError('spend_limit_reached', detail, { available, required, limit: { ...about, most } });
}

function pausedError({ scope, reason, until }: Pause, nowMs: number): AppError {
  const what = scope === 'project' ? 'This service' : `The model ${scope}`;
  const why = reason ? `: ${reason.replace(/\.$/, '')}` : '';
  return new AppError(
    scope === 'project' ? 'project_paused' : 'model_paused',
    `${what} is paused${why}. Send the request again later.`,
    {
      retryAfterSeconds: until === null ? pausedRetrySeconds : Math.max(1, Math.ceil((until - nowMs) / 1000)),
    },
  );
}
