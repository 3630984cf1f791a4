/**
 * What each model takes. Sizes are from Google's image generation guide; the tables below are authoritative.
 */

export const modelIds = ['nb', 'nb2', 'pro'] as const;
export type ModelId = (typeof modelIds)[number];

export const modes = ['text', 'url'] as const;
/** `text`: from a prompt alone. `url`: from a prompt and images fetched from URLs. */
export type Mode = (typeof modes)[number];

export const resolutions = ['1K', '2K', '4K'] as const;
export type Resolution = (typeof resolutions)[number];

export const commonRatios = [
  '1:1',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '9:16',
  '16:9',
  '21:9',
] as const;
export const longRatios = ['1:4', '1:8', '4:1', '8:1'] as const;
export const allRatios = [...commonRatios, ...longRatios] as const;
/** A ratio an image can have; `auto` is a request, not a ratio. */
export type AspectRatio = (typeof allRatios)[number];
export type RequestedRatio = AspectRatio | 'auto';

export interface Size {
  width: number;
  height: number;
}

export interface Model {
  id: ModelId;
  name: string;
  ratios: readonly AspectRatio[];
  resolutions: readonly Resolution[];
  /** Whether `resolution` may be given and `aspect_ratio` may be `auto`. */
  selectable: boolean;
}

export const models: Record<ModelId, Model> = {
  nb: { id: 'nb', name: 'Fast', ratios: commonRatios, resolutions: ['1K'], selectable: false },
  nb2: { id: 'nb2', name: 'Higher quality', ratios: allRatios, resolutions, selectable: true },
  pro: { id: 'pro', name: 'Top tier', ratios: allRatios, resolutions, selectable: true },
};

export function isModelId(text: string): text is ModelId {
  return (modelIds as readonly string[]).includes(text);
}

/** Exact pixels of a result. Actual ratios differ a little from the nominal ones: 16:9 is 1376 × 768. */
export function pixels(model: ModelId, ratio: AspectRatio, resolution: Resolution): Size {
  if (model === 'nb' && ratio in fastSizes) {
    const [width, height] = fastSizes[ratio as keyof typeof fastSizes]; // checked by `in` above
    return { width, height };
  }
  const [width, height] = sizes[ratio];
  const scale = scales[resolution];
  return { width: width * scale, height: height * scale };
}

/** The one of `ratios` nearest to a picture's shape: the smallest distance between logarithms. */
export function nearestRatio(model: ModelId, size: Size, ratios = models[model].ratios): AspectRatio {
  const wanted = Math.log(size.width / size.height);
  const distance = (ratio: AspectRatio) => {
    const { width, height } = pixels(model, ratio, '1K');
    return Math.abs(Math.log(width / height) - wanted);
  };
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

const scales: Record<Resolution, number> = { '1K': 1, '2K': 2, '4K': 4 };

const sizes: Record<AspectRatio, readonly [number, number]> = {
  '1:1': [1024, 1024],
  '2:3': [848, 1264],
  '3:2': [1264, 848],
  '3:4': [896, 1200],
  '4:3': [1200, 896],
  '4:5': [928, 1152],
  '5:4': [1152, 928],
  '9:16': [768, 1376],
  '16:9': [1376, 768],
  '21:9': [1584, 672],
  '1:4': [512, 2048],
  '4:1': [2048, 512],
  '1:8': [384, 3072],
  '8:1': [3072, 384],
};

const fastSizes = {
  '1:1': [1024, 1024],
  '2:3': [832, 1248],
  '3:2': [1248, 832],
  '3:4': [864, 1184],
  '4:3': [1184, 864],
  '4:5': [896, 1152],
  '5:4': [1152, 896],
  '9:16': [768, 1344],
  '16:9': [1344, 768],
  '21:9': [1536, 672],
} as const satisfies Record<(typeof commonRatios)[number], readonly [number, number]>;
