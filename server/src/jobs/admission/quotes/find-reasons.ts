import type { Clock } from '../../../base/std/clock.ts';
import { newId } from '../../../base/std/ids.ts';
import { breathe } from '../../../base/std/lateness/turns.ts';
import type { AppError } from '../../../errors.ts';
import type { PromptChecks } from '../check-prompts.ts';
import type { Payable } from '../create-request.ts';
import { decideAdmissions } from '../decide-admissions.ts';
import type { ServingDeps } from '../find-unserved.ts';
import { askOf, type PreAdmitDeps, readAdmissionState, withPromised } from '../pre-admit.ts';
import { refusalError } from '../refusal-error.ts';

export interface ReasonDeps extends PreAdmitDeps, ServingDeps, PromptChecks {
  clock: Clock;
}

/** Finds every reason why a create would be refused: removes each cause and decides again. */
export async function findReasons(
  deps: ReasonDeps,
  priced: Payable,
  prompts: readonly string[],
): Promise<AppError[]> {
  const { priceMicros } = priced;
  const jobIds = priced.variants.map(() => newId(deps.clock.nowMs()));
  let asked = askOf(deps, priced, jobIds, null);
  const read = await readAdmissionState(deps.database.read, deps, priced, asked);
  let state = withPromised(read, deps.underWay.promisedBy(priced.accountId));
  const reasons: AppError[] = [];
  for (const prompt of prompts) {
    await breathe();
    const blocked = deps.guardrail?.findBlocked(priced.accountId, prompt);
    if (!blocked) continue;
    reasons.push(blocked);
    break;
  }
  for (;;) {
    const [admission] = decideAdmissions([asked], state);
    if (!admission || admission.kind === 'admitted' || admission.kind === 'replayed') return reasons;
    const count = jobIds.length;
    reasons.push(refusalError(admission, { asker: priced, priceMicros, count, nowMs: state.nowMs }));
    if (admission.kind === 'paused')
      state = { ...state, pauses: state.pauses.filter(({ scope }) => scope !== admission.pause.scope) };
    else if (admission.kind === 'unserved') asked = { ...asked, unserved: null };
    else if (admission.kind === 'limited') {
      const { subject, meter } = admission.limit;
      const isSame = (one: (typeof state.limits)[number]) =>
        one.meter === meter && one.subject.id === subject.id;
      state = { ...state, limits: state.limits.filter((one) => !isSame(one)) };
    } else return reasons;
  }
}
