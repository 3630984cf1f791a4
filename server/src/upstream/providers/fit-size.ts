interface Size {
  width: number;
  height: number;
}

export interface SizeLimits {
  /** Both sides are multiples of this. */
  step: number;
  minSide?: number;
  maxSide?: number;
  maxPixels?: number;
}

/** Returns the promised size, or the nearest size of the same ratio that the model can make. */
export function fitSize({ width, height }: Size, limits: SizeLimits): Size {
  const {
    step,
    minSide = step,
    maxSide = Number.POSITIVE_INFINITY,
    maxPixels = Number.POSITIVE_INFINITY,
  } = limits;
  const scale = Math.min(1, maxSide / Math.max(width, height), Math.sqrt(maxPixels / (width * height)));
  // Rounding up could exceed the limit to which the size was scaled.
  const round = scale < 1 ? Math.floor : Math.round;
  const fit = (side: number) => Math.max(minSide, round((side * scale) / step) * step);
  return { width: fit(width), height: fit(height) };
}
