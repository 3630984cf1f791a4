/** Classes of durations, four for each doubling: counts by class give any quantile to within a tenth. */
const perDoubling = 4;

/** The class of a duration in ms is its natural logarithm times this; for queries. */
export const classesPerE = perDoubling / Math.LN2;

export function classOf(ms: number): number {
  return Math.round(Math.log2(ms + 1) * perDoubling);
}

/** The duration in ms that this part (0 to 1) of the counted ones do not exceed; null without any. */
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
