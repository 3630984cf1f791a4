import type { Sharp } from 'sharp';

export const outputFormats = ['png', 'jpeg', 'webp'] as const;
export const backgrounds = ['auto', 'opaque', 'transparent'] as const;
export type Background = (typeof backgrounds)[number];

export interface Output {
  format: (typeof outputFormats)[number];
  /** The quality of JPEG and WebP, from 0 to 100. */
  compression: number;
  background: Background;
}

/** Named as in OpenAI's Images API. This is a type because an interface would not fit a `Record`. */
export type AskedOutput = {
  output_format?: Output['format'];
  output_compression?: number;
  background?: Background;
};

export const usualOutput: Required<AskedOutput> = {
  output_format: 'png',
  output_compression: 100,
  background: 'auto',
};

/** Null for the default, a PNG that is transparent if the model makes it so. */
export function readOutput(asked: AskedOutput): Output | null {
  const { output_format: format, output_compression, background } = { ...usualOutput, ...asked };
  return format === 'png' && background === 'auto'
    ? null
    : { format, compression: output_compression, background };
}

/** `detail` is the end of a sentence that begins with the field's name. */
export function outputMistake(asked: AskedOutput): { field: keyof AskedOutput; detail: string } | undefined {
  const { output_format: format, output_compression, background } = { ...usualOutput, ...asked };
  if (format === 'png' && output_compression !== usualOutput.output_compression)
    return { field: 'output_compression', detail: 'applies to jpeg and webp: png is lossless.' };
  if (format === 'jpeg' && background === 'transparent')
    return { field: 'background', detail: 'can be transparent in png and webp, and not in jpeg.' };
  return undefined;
}

export function askedOf({ format, compression, background }: Output): AskedOutput {
  return {
    output_format: format,
    ...(format !== 'png' && { output_compression: compression }),
    background,
  };
}

// Effort 1 of 6 is four times as fast as the default, with files a tenth larger.
const webpEffort = 1;
// The quality from which JPEG keeps full colour resolution, as in most programs.
const fullColour = 90;
// libvips does not accept quality 0.
const leastQuality = 1;

/** Transparency becomes white in JPEG. */
export function encodeAs(
  image: Sharp,
  { format, compression }: Pick<Output, 'format' | 'compression'>,
): Sharp {
  const quality = Math.max(leastQuality, compression);
  const chromaSubsampling = quality >= fullColour ? '4:4:4' : '4:2:0';
  switch (format) {
    case 'png':
      return image.png({ compressionLevel: 6 });
    case 'jpeg':
      return image.flatten({ background: 'white' }).jpeg({ quality, chromaSubsampling });
    case 'webp':
      return image.webp({ quality, effort: webpEffort });
  }
}
