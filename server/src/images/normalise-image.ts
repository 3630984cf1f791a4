import { pngSize } from './png.ts';

// The largest result is 12,288 × 1,536; upstreams that send more than this are broken.
const maxPixels = 50_000_000;

export class BadImage extends Error {
  override name = 'BadImage';
}

/**
 * Turns what a provider gave into what was promised: a whole PNG of exactly `size` pixels. `exact` trusts our own
 * drawing and checks no more than its header and its end.
 *
 * @throws BadImage when the bytes are not a complete picture
 */
export async function normaliseImage(
  bytes: Uint8Array,
  size: { width: number; height: number },
  { exact }: { exact: boolean },
): Promise<{ png: Uint8Array; notes: string[] }> {
  if (exact) {
    const found = pngSize(bytes);
    if (found?.width !== size.width || found.height !== size.height)
      throw new BadImage('not a PNG of the promised pixels');
    return { png: bytes, notes: [] };
  }
  const { default: sharp } = await import('sharp');
  try {
    const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning', pages: 1 });
    const { width, height } = await image.metadata();
    const fits = width === size.width && height === size.height;
    // `cover` keeps the proportions and crops what is too much; decoding happens in any case, so a cut file is noticed.
    const resized = fits ? image : image.resize({ ...size, fit: 'cover', kernel: 'lanczos3' });
    const png = await resized.png({ compressionLevel: 6 }).toBuffer();
    return {
      png,
      notes: fits
        ? []
        : [`Scaled from ${width} × ${height} pixels to the promised ${size.width} × ${size.height}.`],
    };
  } catch (error) {
    throw new BadImage(error instanceof Error ? error.message : 'cannot be decoded', { cause: error });
  }
}
