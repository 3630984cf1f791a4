import { tellReachedLimit } from '../../../notify/alerts/tell-reached-limit.ts';
import type { PreAdmitDeps } from '../pre-admit.ts';
import { type Refusal, refusalError } from '../refusal-error.ts';

/** Tells the account if a limit of its money is why, and throws what the client is answered. @throws AppError */
export async function refuseRequest(
  deps: Pick<PreAdmitDeps, 'database' | 'limitDefaults'>,
  refusal: Refusal,
  asked: Parameters<typeof refusalError>[1],
): Promise<never> {
  if (refusal.kind === 'limited') await tellReachedLimit(deps, asked.asker.accountId, refusal.limit);
  throw refusalError(refusal, asked);
}
