/** The number of duration classes per doubling. Quantiles from counts by class are exact to within a tenth. */
const perDoubling = 4;

/** A duration's class is the natural logarithm of its milliseconds, times this factor. */
export const classesPerE = perDoubling / Math.LN2;

export function classOf(ms: number): number {
  return Math.round(Math.log2(ms + 1) * perDoubling);
}

/** The duration in ms that a share of `part` (0 to 1) of the durations does not exceed; null without durations. */
export function quantileOf(
  counted: readonly { durationClass: number; count: number }[],
  part: number,
): number | null {
  let left = counted.reduce((sum, { count }) => sum + count, 0) * part;
  const ordered = counted.toSorted((one, other) => one.durationClass - other.durationClass);
  for (const { durationClass, count } of ordered) {
    left -= count;
    if (left <= 0) return Math.round(2 ** (durationClass / perDoubling) - 1);
  }
  return null;
}
