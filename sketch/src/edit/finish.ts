import type { Sharp } from 'sharp';
import { loadSharp, type Pixels } from '../render.ts';
import type { Edit } from './edit.ts';

/** An image as raw pixels, so that it is not encoded and decoded between the steps of an edit. */
export interface RawImage extends Pixels {
  data: Buffer;
  channels: 3 | 4;
}

export async function open({ data, width, height, channels }: RawImage): Promise<Sharp> {
  const sharp = await loadSharp();
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
}

export async function toRaw(image: Sharp): Promise<RawImage> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels === 4 ? 4 : 3 };
}

/**
 * Applies the effects on colour and focus to the whole image. Each step has its own pipeline, because sharp decides the
 * order within one.
 */
export async function applyEffects(picture: RawImage, edit: Edit): Promise<RawImage> {
  let image = picture;
  if (edit.blur) image = await coarse(image, blurSteps, 'cubic');
  if (edit.pixelate) image = await coarse(image, pixelSteps, 'nearest');
  if (edit.sharpen)
    image = await toRaw((await open(image)).sharpen({ sigma: Math.max(1, image.width / 900) }));
  if (edit.brightness !== 1 || edit.saturation !== 1) {
    image = await toRaw(
      (await open(image)).modulate({ brightness: edit.brightness, saturation: edit.saturation }),
    );
  }
  if (edit.invert) image = await toRaw((await open(image)).negate({ alpha: false }));
  if (edit.gray) image = await toRaw((await open(image)).recomb(luma));
  if (edit.sepia) image = await toRaw((await open(image)).recomb(sepia));
  if (edit.tint) image = await toRaw((await open(image)).tint(edit.tint));
  if (edit.night) image = await toRaw((await open(image)).linear([...nightfall], [0, 0, 0]));
  return image;
}

type Matrix = [[number, number, number], [number, number, number], [number, number, number]];
/** Three equal rows, so that the result is exactly grey. */
const luma: Matrix = [
  [0.2126, 0.7152, 0.0722],
  [0.2126, 0.7152, 0.0722],
  [0.2126, 0.7152, 0.0722],
];
const sepia: Matrix = [
  [0.33, 0.54, 0.14],
  [0.275, 0.48, 0.115],
  [0.2, 0.36, 0.09],
];
/** The night's factors for red, green and blue. In the dark, red fades first. */
const nightfall = [0.34, 0.42, 0.68] as const;
/** The pixels along the long side to which a blur shrinks the image. `pixelSteps` is the same for pixelation. */
const blurSteps = 90;
const pixelSteps = 56;

/** Shrinks and enlarges the image. A large Gaussian blur looks the same, but takes seconds at 4K. */
async function coarse(image: RawImage, steps: number, kernel: 'cubic' | 'nearest'): Promise<RawImage> {
  const scale = steps / Math.max(image.width, image.height);
  const small = await toRaw(
    (await open(image)).resize(
      Math.max(2, Math.round(image.width * scale)),
      Math.max(2, Math.round(image.height * scale)),
      { fit: 'fill' },
    ),
  );
  const soft = kernel === 'cubic' ? await toRaw((await open(small)).blur(1)) : small;
  return toRaw((await open(soft)).resize(image.width, image.height, { fit: 'fill', kernel }));
}
