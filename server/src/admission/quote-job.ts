import { type AspectRatio, pixels, type Size, sizingOf } from '../catalog/models.ts';
import type { ErrorCode } from '../errors.ts';
import type { Eta, Outlook } from '../jobs/queue-view.ts';
import type { Clock } from '../std/clock.ts';
import { newId } from '../std/ids.ts';
import type { CreateRequest, PricedRequest } from './create-request.ts';
import { decideAdmissions } from './decide-admissions.ts';
import { assertOwnOrigin, type OriginDeps } from './find-origin.ts';
import { askOf, type PreAdmitDeps, readAdmissionState, withPromised } from './pre-admit.ts';
import { refusalError } from './refuse-create.ts';

export interface QuoteDeps extends PreAdmitDeps, Pick<OriginDeps, 'readJob'> {
  clock: Clock;
  outlook: Outlook;
}

export interface Quote {
  priceMicros: bigint;
  /** Null while the ratio is open. */
  size: Size | null;
  /** Why a create would be refused now; none when it would be accepted. */
  reasons: ErrorCode[];
  eta: Eta | null;
}

/** What a create would cost and bring now. Decided like a create, from the same state; nothing is written or fetched. */
export async function quoteJob(deps: QuoteDeps, request: Omit<CreateRequest, 'idempotency'>): Promise<Quote> {
  const { model, resolution, parameters, aspectRatio, accountId, keyId } = request;
  if (request.origin) await assertOwnOrigin(deps, accountId, request.origin);
  const { priceMicros } = sizingOf(model, resolution);
  const variants = [{ model, resolution, parameters, priceMicros }];
  const [reasons, eta] = await Promise.all([
    findReasons(deps, { ...request, idempotency: null, variants, priceMicros }),
    deps.outlook.ofNew({ accountId, keyId, model: model.id }),
  ]);
  const size = aspectRatio === 'auto' ? null : pixels(model, aspectRatio as AspectRatio, resolution);
  return { priceMicros, size, reasons, eta };
}

/** All of them: what refuses it is taken away, and it is decided again. */
async function findReasons(deps: QuoteDeps, priced: PricedRequest): Promise<ErrorCode[]> {
  const asked = askOf(deps, priced, [newId(deps.clock.nowMs())], null);
  const read = await readAdmissionState(deps.database.read, deps, priced, asked);
  let state = withPromised(read, deps.underWay.promisedBy(priced.accountId));
  const reasons = new Set<ErrorCode>();
  for (;;) {
    const [admission] = decideAdmissions([asked], state);
    if (!admission || admission.kind === 'admitted' || admission.kind === 'replayed') return [...reasons];
    const { priceMicros } = priced;
    reasons.add(refusalError(admission, { priceMicros, count: 1, nowMs: state.nowMs }).code);
    if (admission.kind === 'paused')
      state = { ...state, pauses: state.pauses.filter(({ scope }) => scope !== admission.pause.scope) };
    else if (admission.kind === 'limited') {
      const { subject, meter } = admission.limit;
      const isSame = (one: (typeof state.limits)[number]) =>
        one.meter === meter && one.subject.id === subject.id;
      state = { ...state, limits: state.limits.filter((one) => !isSame(one)) };
    } else return [...reasons];
  }
}
