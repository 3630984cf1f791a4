import type { Sharp } from 'sharp';

/** Copies the mark of origin, which older results do not have. */
export function withMark(image: Sharp, xmp: string | undefined): Sharp {
  return xmp ? image.withXmp(xmp) : image;
}
