import type { Model } from '@darkroom/server/panel-contract';
import { nearestRatio, shapesOf } from './shapes.ts';

/** Models that can change a part of an image. Paused models come last. */
export function maskModels(models: readonly Model[]): Model[] {
  const able = models.filter(({ masks, modes }) => masks && modes.includes('url'));
  return able.toSorted((one, other) => Number(one.paused) - Number(other.paused));
}

/** The shapes to which an image can be extended: all except its own. */
export function otherRatios(model: Model, image: { width: number; height: number }): string[] {
  const own = nearestRatio(model.aspect_ratios, image);
  return shapesOf(model.aspect_ratios).filter((ratio) => ratio !== own);
}
