import { erasedMeanwhile } from '../../accounts/erased-meanwhile.ts';
import type { Log } from '../../base/std/log.ts';
import { AppError } from '../../errors.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { costs, limitError } from '../../money/limits/limit-error.ts';
import { tellReachedLimit } from '../../notify/alerts/tell-reached-limit.ts';
import type { Admission, Unserved } from './decide-admissions.ts';
import type { Pause } from './pause-store.ts';
import type { PreAdmitDeps } from './pre-admit.ts';

type Refusal = Exclude<Admission, { kind: 'admitted' | 'replayed' }>;

const pausedRetrySeconds = 30;

/** Throws the client's error. First notifies the account if it has reached a spend limit. @throws AppError */
export async function refuseRequest(
  deps: Pick<PreAdmitDeps, 'database' | 'limitDefaults'> & { log: Log },
  refusal: Refusal,
  asked: Parameters<typeof refusalError>[1],
): Promise<never> {
  if (refusal.kind === 'limited') {
    const { accountId } = asked.asker;
    // A failed notification must not change the answer. The next refusal tries again.
    await tellReachedLimit(deps, { accountId, ...asked }, refusal.limit).catch((error: unknown) =>
      deps.log.warn('alerts.not_told', { account_id: accountId, reason: String(error) }),
    );
  }
  throw refusalError(refusal, asked);
}

/** `priceMicros` is the price of all jobs of the create. */
export function refusalError(
  refusal: Refusal,
  {
    asker,
    priceMicros,
    count,
    nowMs,
  }: { asker: { accountId: string; keyId: string }; priceMicros: bigint; count: number; nowMs: number },
): AppError {
  switch (refusal.kind) {
    case 'erased':
      return erasedMeanwhile(asker);
    case 'key_reused':
      return keyReused();
    case 'in_progress':
      return new AppError(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key is still running. Send it again shortly.',
        { retryAfterSeconds: Math.ceil(refusal.leftMs / 1000) },
      );
    case 'paused':
      return pausedError(refusal.pause, asker, nowMs);
    case 'unserved':
      return unservedError(refusal.unserved);
    case 'limited':
      return limitError(refusal.limit, { priceMicros, jobs: count, nowMs });
    case 'insufficient': {
      const required = formatMicros(priceMicros);
      const available = formatMicros(refusal.availableMicros);
      if (refusal.debtMicros > 0n) return owed(refusal, priceMicros, { available, required });
      const detail = `${costs(count)} ${required} and ${available} is available. Add credit and send it again.`;
      return new AppError('insufficient_funds', detail, { available, required });
    }
  }
}

/** The error for an account in debt. Adding any credit pays the debt from the whole available balance. */
function owed(
  { availableMicros, debtMicros }: { availableMicros: bigint; debtMicros: bigint },
  priceMicros: bigint,
  amounts: { available: string; required: string },
): AppError {
  const shortMicros = debtMicros + priceMicros - availableMicros;
  const most =
    shortMicros > 0n
      ? `at least ${formatMicros(shortMicros)}`
      : 'any credit, which pays the debt from the available balance,';
  const detail = `The account owes ${formatMicros(debtMicros)}, because a payment was taken back. Add ${most} and send the request again.`;
  return new AppError('insufficient_funds', detail, amounts);
}

/** Blames a field of the request if one is at fault. Otherwise an operator must act, as with an endless pause. */
function unservedError({ why, field, pointer, isMistake }: Unserved): AppError {
  if (field !== null) {
    const place = pointer === null ? field : `${pointer}/body${field}`;
    const mistake = `${place} ${why}${pointer === null ? '' : ' Nothing was accepted.'}`;
    const errors = [{ pointer: place, detail: why }];
    return new AppError('invalid_request', isMistake ? mistake : why, { errors });
  }
  return new AppError('no_route', pointer === null ? why : `${pointer}: ${why} Nothing was accepted.`, {
    retryAfterSeconds: pausedRetrySeconds,
    ...(pointer !== null && { errors: [{ pointer, detail: why }] }),
  });
}

function pausedError(
  { scope, reason, until }: Pause,
  { accountId }: { accountId: string },
  nowMs: number,
): AppError {
  const isOfModel = scope !== 'project' && scope !== accountId;
  const what = isOfModel ? `The model ${scope}` : scope === accountId ? 'This account' : 'This service';
  const why = reason ? `: ${reason.replace(/\.$/, '')}` : '';
  return new AppError(
    isOfModel ? 'model_paused' : 'project_paused',
    `${what} is paused${why}. Send the request again later.`,
    {
      retryAfterSeconds: until === null ? pausedRetrySeconds : Math.max(1, Math.ceil((until - nowMs) / 1000)),
    },
  );
}

export function keyReused(): AppError {
  return new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request. Use a new key for a new request.',
  );
}
