interface Size {
  width: number;
  height: number;
}

/** The place of an image in the larger one that it becomes. */
export interface Frame extends Size {
  x: number;
  y: number;
}

/** The place of the added room: all after the image, half on each side, or all before it. */
export type Place = 'start' | 'middle' | 'end';

const shares: Record<Place, number> = { start: 0, middle: 0.5, end: 1 };

/** The smallest frame of a shape that holds the whole picture. */
export function frameFor(picture: Size, ratio: number, place: Place): Frame {
  const isWider = ratio > picture.width / picture.height;
  const width = isWider ? Math.round(picture.height * ratio) : picture.width;
  const height = isWider ? picture.height : Math.round(picture.width / ratio);
  const share = shares[place];
  return {
    ...{ width, height },
    x: Math.round((width - picture.width) * share),
    y: Math.round((height - picture.height) * share),
  };
}

/** Returns the part of the image that surely stays: at new room it ends a little earlier, so that no seam is left. */
export function keptIn(frame: Frame, picture: Size): Frame {
  const seam = seamOf(picture);
  const left = frame.x > 0 ? seam : 0;
  const top = frame.y > 0 ? seam : 0;
  const right = frame.x + picture.width < frame.width ? seam : 0;
  const bottom = frame.y + picture.height < frame.height ? seam : 0;
  return {
    ...{ x: frame.x + left, y: frame.y + top },
    ...{ width: picture.width - left - right, height: picture.height - top - bottom },
  };
}

export function seamOf({ width, height }: Size): number {
  return Math.ceil(Math.min(width, height) * seamShare);
}

const seamShare = 0.02;
