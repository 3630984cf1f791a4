import type { Sharp } from 'sharp';

export function withMark(image: Sharp, xmp: string | undefined): Sharp {
  return xmp ? image.withXmp(xmp) : image;
}
