/** Returns the member of `known` with the smallest edit distance to `text`; undefined if none is close. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((name) => ({ name, changes: changesBetween(text, name) }))
    .sort((one, other) => one.changes - other.changes);
  return best && best.changes <= text.length / 3 ? best.name : undefined;
}

/** Levenshtein distance. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
