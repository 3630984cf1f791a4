import type { Sharp } from 'sharp';

/** Keeps in a smaller or converted image what the image says of its origin; older results say nothing. */
export function withMark(image: Sharp, xmp: string | undefined): Sharp {
  return xmp ? image.withXmp(xmp) : image;
}
