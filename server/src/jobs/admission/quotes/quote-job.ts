import type { AppError } from '../../../errors.ts';
import { InputError, listPointer, maskPointer, unusableInputs } from '../../../images/inputs/input-errors.ts';
import { type AspectRatio, pixels, type Size } from '../../../upstream/catalog/models.ts';
import type { FindOwnImage } from '../../open-own-image.ts';
import type { Eta, WaitEstimator } from '../../queue-view.ts';
import type { CreateRequest } from '../create-request.ts';
import { findUnserved } from '../find-unserved.ts';
import { foreignOrigin, isForeignOrigin, type OriginDeps } from '../origin.ts';
import { findReasons, type ReasonDeps } from './find-reasons.ts';
import { type PricingDeps, priceVariants } from './price-variants.ts';

export interface QuoteDeps extends ReasonDeps, PricingDeps, Pick<OriginDeps, 'readJob'> {
  waits: WaitEstimator;
  findOwnImage: FindOwnImage;
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

/** Finds links of ours that cannot be used. Opening them needs no connection, so a quote can check them. */
async function findBadLinks(
  { findOwnImage }: Pick<QuoteDeps, 'findOwnImage'>,
  { accountId, inputUrls, mask }: Pick<CreateRequest, 'accountId' | 'inputUrls' | 'mask'>,
): Promise<AppError[]> {
  const links = inputUrls.map((url, index) => ({ url, pointer: `${listPointer}/${index}` }));
  if (mask) links.push({ url: mask.url, pointer: maskPointer });
  const found = await Promise.all(
    links.map(({ url, pointer }) =>
      findOwnImage(url, accountId).then(
        () => [],
        (error: unknown) => {
          if (error instanceof InputError) return [{ pointer, code: error.code, detail: error.message }];
          throw error;
        },
      ),
    ),
  );
  const failures = found.flat();
  return failures.length > 0 ? [unusableInputs(failures)] : [];
}
