import type { Sharp } from 'sharp';

/** Copies the mark of origin to a smaller or converted image; older results have none. */
export function withMark(image: Sharp, xmp: string | undefined): Sharp {
  return xmp ? image.withXmp(xmp) : image;
}
