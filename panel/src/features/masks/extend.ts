interface Size {
  width: number;
  height: number;
}

export interface Frame extends Size {
  x: number;
  y: number;
}

/** Where the added area is: after the image, half on each side, or before the image. */
export type Alignment = 'start' | 'middle' | 'end';

const shares: Record<Alignment, number> = { start: 0, middle: 0.5, end: 1 };

export function frameFor(image: Size, ratio: number, alignment: Alignment): Frame {
  const isWider = ratio > image.width / image.height;
  const width = isWider ? Math.round(image.height * ratio) : image.width;
  const height = isWider ? image.height : Math.round(image.width / ratio);
  const share = shares[alignment];
  return {
    ...{ width, height },
    x: Math.round((width - image.width) * share),
    y: Math.round((height - image.height) * share),
  };
}

/** The part of the image that stays unchanged. It ends slightly inside the image, so that no seam shows. */
export function keptIn(frame: Frame, image: Size): Frame {
  const seam = seamOf(image);
  const left = frame.x > 0 ? seam : 0;
  const top = frame.y > 0 ? seam : 0;
  const right = frame.x + image.width < frame.width ? seam : 0;
  const bottom = frame.y + image.height < frame.height ? seam : 0;
  return {
    ...{ x: frame.x + left, y: frame.y + top },
    ...{ width: image.width - left - right, height: image.height - top - bottom },
  };
}

export function seamOf({ width, height }: Size): number {
  return Math.ceil(Math.min(width, height) * seamShare);
}

const seamShare = 0.02;
