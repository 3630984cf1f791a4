import type { PriceOf } from '../../../accounts/price-groups/price-group.ts';
import { AppError } from '../../../errors.ts';
import {
  defaultResolution,
  type Model,
  type RequestedRatio,
  type Resolution,
} from '../../../upstream/catalog/models.ts';
import type { GenerateArguments } from './generate-arguments.ts';

/** Fills in missing arguments. @throws AppError `model_forbidden` if the key may use no suitable model */
export function chooseRequest(
  asked: GenerateArguments,
  models: readonly Model[],
  find: (id: string) => Model | undefined,
  priceOf: PriceOf,
): { model: Model; ratio: RequestedRatio; resolution: Resolution | undefined } {
  const mode = asked.images?.length ? 'url' : 'text';
  const model =
    asked.model === undefined
      ? cheapest(
          models.filter(({ action, modes }) => action === 'generate' && modes.includes(mode)),
          priceOf,
        )
      : find(asked.model);
  if (!model)
    throw new AppError(
      'model_forbidden',
      'None of the models that this API key may use can make this image.',
    );
  const { auto, ratios, selectable } = model;
  const byDefault = auto && mode === 'url' ? 'auto' : ratios.includes('1:1') ? '1:1' : (ratios[0] ?? '1:1');
  // A request may name a model's only resolution, which is then left out.
  const isOnly = !selectable && asked.resolution === defaultResolution(model);
  return {
    model,
    ratio: asked.aspect_ratio ?? byDefault,
    resolution: isOnly ? undefined : asked.resolution,
  };
}

function cheapest(models: readonly Model[], priceOf: PriceOf): Model | undefined {
  const price = (model: Model) => priceOf(model, defaultResolution(model));
  return models.toSorted((one, other) => Number(price(one) - price(other)))[0];
}
