import type { Sharp } from 'sharp';

/** Older results have no mark of origin. */
export function withMark(image: Sharp, xmp: string | undefined): Sharp {
  return xmp ? image.withXmp(xmp) : image;
}
