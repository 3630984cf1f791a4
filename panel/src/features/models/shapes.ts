export function nearestRatio(ratios: readonly string[], image: { width: number; height: number }): string {
  const wanted = image.width / image.height;
  const apart = (ratio: string) => Math.abs(Math.log(ratioOf(ratio) / wanted));
  const [nearest = '1:1'] = shapesOf(ratios).toSorted((one, other) => apart(one) - apart(other));
  return nearest;
}

/** The ratios other than `auto`. */
export function shapesOf(ratios: readonly string[]): string[] {
  return ratios.filter((ratio) => !Number.isNaN(ratioOf(ratio)));
}

/** Returns width divided by height; NaN for `auto`. */
export function ratioOf(ratio: string): number {
  const [width, height] = ratio.split(':').map(Number);
  return width && height ? width / height : Number.NaN;
}
