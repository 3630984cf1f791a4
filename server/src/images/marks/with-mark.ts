import type { Sharp } from 'sharp';

/** Copies the mark of origin to a smaller or converted image. Older results have no mark. */
export function withMark(image: Sharp, xmp: string | undefined): Sharp {
  return xmp ? image.withXmp(xmp) : image;
}
