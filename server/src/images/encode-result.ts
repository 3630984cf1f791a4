import type { StoredMediaType } from './media-types.ts';
import { BadImage } from './normalise-image.ts';
import { encodeAs, type Output } from './output.ts';

export class OpaqueImage extends BadImage {
  override name = 'OpaqueImage';
}

/** Encodes one of our PNGs on libvips' threads. @throws OpaqueImage, BadImage if the PNG is damaged */
export async function encodeResult(
  png: Uint8Array,
  output: Output | null,
): Promise<{ bytes: Uint8Array; mediaType: StoredMediaType }> {
  if (!output) return { bytes: png, mediaType: 'image/png' };
  const { format, background } = output;
  const { default: sharp } = await import('sharp');
  const image = sharp(png, { failOn: 'warning', sequentialRead: true }).keepXmp();
  const { hasAlpha } = await image.metadata();
  if (background === 'transparent' && !hasAlpha) throw new OpaqueImage('an image without transparency');
  const isFilled = background === 'opaque' && hasAlpha;
  if (format === 'png' && !isFilled) return { bytes: png, mediaType: 'image/png' };
  if (isFilled) image.flatten({ background: 'white' });
  return { bytes: await encodeAs(image, output).toBuffer(), mediaType: `image/${format}` };
}
