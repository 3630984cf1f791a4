import type { Sharp } from 'sharp';

/** Copies the mark of origin. Older results have none. */
export function withMark(image: Sharp, xmp: string | undefined): Sharp {
  return xmp ? image.withXmp(xmp) : image;
}
