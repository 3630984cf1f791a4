/** The id in `/api/v1/{model}/text-generations`. */
export type ModelId = string;

export const modes = ['text', 'url'] as const;
/** `text`: from a prompt alone. `url`: from a prompt and images fetched from URLs. */
export type Mode = (typeof modes)[number];

/** The actions of a model. All but the first change the single image of the request. */
export const actions = ['generate', 'upscale', 'remove_background'] as const;
export type Action = (typeof actions)[number];

/** The maximum length of a prompt, in characters. A prompt has no NUL bytes. */
export const maxPromptLength = 32_768;

export const resolutions = ['1K', '2K', '4K'] as const;
export type Resolution = string;

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
/** A ratio that an image can have, width to height. No image has the ratio `auto`. */
export type AspectRatio = string;
export type RequestedRatio = AspectRatio | 'auto';

export interface Size {
  width: number;
  height: number;
}

export interface Model {
  id: ModelId;
  version: number;
  name: string;
  description: string;
  action: Action;
  modes: readonly Mode[];
  /** The maximum number of input images, in mode `url` only. */
  maxInputs: number;
  ratios: readonly AspectRatio[];
  /** Whether `aspect_ratio` may be `auto`. */
  auto: boolean;
  /** Whether a request may name its resolution. */
  selectable: boolean;
  /** Smallest first. */
  resolutions: ReadonlyMap<Resolution, Sizing>;
  parameters: Parameters;
}

export interface Sizing {
  /** Micro-units for one image. */
  priceMicros: bigint;
  sizes: ReadonlyMap<AspectRatio, Size>;
}

/** Further fields of a request, by name. Each is a JSON Schema of a single value. */
export type Parameters = Readonly<Record<string, ParameterSchema>>;
export type ParameterValue = string | number | boolean;

export interface ParameterSchema {
  type: 'integer' | 'number' | 'string' | 'boolean';
  title?: string;
  description?: string;
  default?: ParameterValue;
  enum?: ParameterValue[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export function defaultResolution({ resolutions }: Model): Resolution {
  const [first = '1K'] = resolutions.keys();
  return resolutions.has('1K') ? '1K' : first;
}

/** @throws Error if the model lacks the resolution */
export function sizingOf(model: Model, resolution: Resolution): Sizing {
  const sizing = model.resolutions.get(resolution);
  if (!sizing) throw new Error(`the model ${model.id} has no resolution ${resolution}`);
  return sizing;
}

/**
 * Returns an image's size. Actual ratios differ a little from nominal ones: 16:9 is 1376 × 768. For a ratio that the
 * model lacks, the size is computed.
 */
export function pixels(model: Model, ratio: AspectRatio, resolution: Resolution): Size {
  const { sizes } = sizingOf(model, resolution);
  return sizes.get(ratio) ?? fitArea(ratio, areaOf(sizes), 1);
}

/** The ratio nearest to a size, by the distance between logarithms. */
export function nearestRatio(model: Model, size: Size, ratios = model.ratios): AspectRatio {
  const resolution = defaultResolution(model);
  const wanted = Math.log(size.width / size.height);
  const distance = (ratio: AspectRatio) => {
    const { width, height } = pixels(model, ratio, resolution);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** Returns the size with this ratio and about `area` pixels. Both sides are multiples of `multipleOf`. */
export function fitArea(ratio: AspectRatio, area: number, multipleOf: number): Size {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  const round = (side: number) => Math.max(1, Math.round(side / multipleOf)) * multipleOf;
  return {
    width: round(Math.sqrt((area * across) / down)),
    height: round(Math.sqrt((area * down) / across)),
  };
}

function areaOf(sizes: ReadonlyMap<AspectRatio, Size>): number {
  return Math.max(...[...sizes.values()].map(({ width, height }) => width * height));
}
