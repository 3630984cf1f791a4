/** An image's place in its row, in pixels. */
export interface Box {
  index: number;
  left: number;
  width: number;
}

export interface SheetRow {
  height: number;
  boxes: Box[];
}

/** Tiles are never narrower than this ratio, so that a 1:8 image is still visible. */
const narrowest = 0.34;

/**
 * Arranges images in rows that fill the width. Images keep their ratios (width to height), and each row is about as
 * tall as the target. The last row is filled only if it does not become taller. `begun` are rows of the first images,
 * which stay unchanged.
 */
export function justify(
  ratios: readonly number[],
  { width, target, gap }: { width: number; target: number; gap: number },
  begun: readonly SheetRow[] = [],
): SheetRow[] {
  const rows = [...begun];
  let first = endOf(rows.at(-1));
  let sum = 0;
  const heightOf = (count: number, ratio: number) => (width - gap * (count - 1)) / ratio;
  for (let index = first; index < ratios.length; index++) {
    const ratio = Math.max(narrowest, ratios[index] ?? 1);
    const count = index - first + 1;
    const height = heightOf(count, sum + ratio);
    if (height > target) {
      sum += ratio;
      continue;
    }
    const without = count > 1 ? heightOf(count - 1, sum) : Number.POSITIVE_INFINITY;
    const isBetterWithout = without / target < target / height;
    const end = isBetterWithout ? index : index + 1;
    rows.push(rowOf(ratios, first, end, isBetterWithout ? without : height, gap));
    first = end;
    sum = isBetterWithout ? ratio : 0;
  }
  if (first < ratios.length) {
    const height = Math.min(target, heightOf(ratios.length - first, sum));
    rows.push(rowOf(ratios, first, ratios.length, height, gap));
  }
  return rows;
}

function endOf(row: SheetRow | undefined): number {
  return (row?.boxes.at(-1)?.index ?? -1) + 1;
}

function rowOf(ratios: readonly number[], first: number, end: number, height: number, gap: number): SheetRow {
  const boxes: Box[] = [];
  let left = 0;
  for (let index = first; index < end; index++) {
    const width = Math.max(narrowest, ratios[index] ?? 1) * height;
    boxes.push({ index, left, width });
    left += width + gap;
  }
  return { height, boxes };
}

/** Returns the image in the row above or below whose middle is nearest, or `index` if there is no such row. */
export function neighbour(rows: readonly SheetRow[], index: number, down: boolean): number {
  const at = rows.findIndex(({ boxes }) => boxes.some((box) => box.index === index));
  const box = rows[at]?.boxes.find((one) => one.index === index);
  const row = rows[at + (down ? 1 : -1)];
  if (!box || !row) return index;
  const middle = (one: Box) => one.left + one.width / 2;
  const distance = (one: Box) => Math.abs(middle(one) - middle(box));
  return row.boxes.reduce((best, one) => (distance(one) < distance(best) ? one : best)).index;
}
