import type { Model } from '@darkroom/server/panel-contract';
import { otherRatios } from '../models/mask-models.ts';
import { ratioOf } from '../models/shapes.ts';
import { type Alignment, type Frame, frameFor } from './extend.ts';

export interface Extension {
  /** `16:9` */
  ratio: string;
  ratios: string[];
  alignment: Alignment;
  frame: Frame;
  /** True if the image grows at the sides, false if it grows above and below. */
  isWider: boolean;
}

/** The chosen extension if the model offers its ratio, or else a wider one. */
export function extensionOf(
  model: Model,
  image: { width: number; height: number },
  chosen: { ratio: string | undefined; alignment: Alignment },
): Extension {
  const ratios = otherRatios(model, image);
  const own = image.width / image.height;
  const wider = ['16:9', '3:2', '4:3', '1:1'].find((one) => ratios.includes(one) && ratioOf(one) > own);
  const known = ratios.find((one) => one === chosen.ratio);
  const ratio = known ?? wider ?? ratios[0] ?? '1:1';
  const { alignment } = chosen;
  return {
    ratio,
    ratios,
    alignment,
    frame: frameFor(image, ratioOf(ratio), alignment),
    isWider: ratioOf(ratio) > own,
  };
}
