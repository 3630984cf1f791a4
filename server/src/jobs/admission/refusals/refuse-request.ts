import type { Log } from '../../../base/std/log.ts';
import { tellReachedLimit } from '../../../notify/alerts/tell-reached-limit.ts';
import type { PreAdmitDeps } from '../pre-admit.ts';
import { type Refusal, refusalError } from '../refusal-error.ts';

/** Tells the account if a limit of its money is why, and throws what the client is answered. @throws AppError */
export async function refuseRequest(
  deps: Pick<PreAdmitDeps, 'database' | 'limitDefaults'> & { log: Log },
  refusal: Refusal,
  asked: Parameters<typeof refusalError>[1],
): Promise<never> {
  if (refusal.kind === 'limited') {
    const { accountId } = asked.asker;
    // The answer does not depend on it; what is not told now is told with the next refusal.
    await tellReachedLimit(deps, { accountId, ...asked }, refusal.limit).catch((error: unknown) =>
      deps.log.warn('alerts.not_told', { account_id: accountId, reason: String(error) }),
    );
  }
  throw refusalError(refusal, asked);
}
