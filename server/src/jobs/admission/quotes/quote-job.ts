import type { AppError } from '../../../errors.ts';
import { type AspectRatio, pixels, type Size } from '../../../upstream/catalog/models.ts';
import type { Eta, WaitEstimator } from '../../queue-view.ts';
import type { CreateRequest } from '../create-request.ts';
import { findUnserved } from '../find-unserved.ts';
import { foreignOrigin, isForeignOrigin, type OriginDeps } from '../origin.ts';
import { findBadLinks, type LinkDeps } from './find-bad-links.ts';
import { findReasons, type ReasonDeps } from './find-reasons.ts';
import { type PricingDeps, priceVariants } from './price-variants.ts';

export interface QuoteDeps extends ReasonDeps, PricingDeps, LinkDeps, Pick<OriginDeps, 'readJob'> {
  waits: WaitEstimator;
}

export interface Quote {
  priceMicros: bigint;
  /** Null until the ratio is known. */
  size: Size | null;
  reasons: AppError[];
  eta: Eta | null;
}

/** The images of a request, which limit the routes that can serve it. */
export type GivenImages = Pick<Parameters<QuoteDeps['whyUnserved']>[1], 'inputs' | 'mask'>;

/** Prices and decides a create. Writes and fetches nothing. `given` are the stored images of a repetition. */
export async function quoteJob(
  deps: QuoteDeps,
  request: Omit<CreateRequest, 'idempotency'>,
  given?: GivenImages,
): Promise<Quote> {
  const { model, resolution, parameters, aspectRatio, accountId, keyId } = request;
  if (await isForeignOrigin(deps, accountId, request.origin)) throw foreignOrigin();
  const { variants, priceMicros } = priceVariants(deps, accountId, [{ model, resolution, parameters }]);
  const unserved = findUnserved(deps, { ...request, ...given }, variants);
  const [reasons, ofInputs, eta] = await Promise.all([
    findReasons(deps, { ...request, idempotency: null, variants, priceMicros, unserved }, [request.prompt]),
    findBadLinks(deps, request),
    deps.waits.ofNew({ accountId, keyId, model: model.id }),
  ]);
  const size = aspectRatio === 'auto' ? null : pixels(model, aspectRatio as AspectRatio, resolution);
  const isServed = !reasons.some(({ code }) => code === 'no_route');
  return { priceMicros, size, reasons: [...reasons, ...ofInputs], eta: isServed ? eta : null };
}
