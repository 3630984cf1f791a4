import type { StoredMediaType } from './media-types.ts';
import { BadImage } from './normalise-image.ts';
import type { Output } from './output.ts';

// Effort 1 of 6: four times as fast as the default, with files a tenth larger.
const webpEffort = 1;
// Full colour resolution from this quality on, as most programs do.
const fullColour = 90;
// libvips has no quality 0.
const leastQuality = 1;

/** An image without transparency, where some was asked for. */
export class OpaqueImage extends BadImage {
  override name = 'OpaqueImage';
}

/**
 * A PNG of ours as its client wants it, with its marks; encoded by threads of libvips.
 *
 * @throws OpaqueImage, BadImage when the PNG is damaged
 */
export async function encodeResult(
  png: Uint8Array,
  output: Output | null,
): Promise<{ bytes: Uint8Array; mediaType: StoredMediaType }> {
  if (!output) return { bytes: png, mediaType: 'image/png' };
  const { format, compression, background } = output;
  const { default: sharp } = await import('sharp');
  const image = sharp(png, { failOn: 'warning', sequentialRead: true }).keepXmp();
  const { hasAlpha } = await image.metadata();
  if (background === 'transparent' && !hasAlpha) throw new OpaqueImage('a picture without transparency');
  if (hasAlpha && (background === 'opaque' || format === 'jpeg')) image.flatten({ background: 'white' });
  const quality = Math.max(leastQuality, compression);
  const chromaSubsampling = quality >= fullColour ? '4:4:4' : '4:2:0';
  switch (format) {
    case 'png':
      if (background !== 'opaque' || !hasAlpha) return { bytes: png, mediaType: 'image/png' };
      return { bytes: await image.png({ compressionLevel: 6 }).toBuffer(), mediaType: 'image/png' };
    case 'jpeg':
      return { bytes: await image.jpeg({ quality, chromaSubsampling }).toBuffer(), mediaType: 'image/jpeg' };
    case 'webp':
      return {
        bytes: await image.webp({ quality, effort: webpEffort }).toBuffer(),
        mediaType: 'image/webp',
      };
  }
}
