import type { Pixels } from '../render.ts';
import type { Layout } from './edit.ts';

export interface Cell extends Pixels {
  left: number;
  top: number;
}

/** Divides a sheet among the inputs, so that each cell is close to its input's shape. Pure. */
export function layOut(layout: Layout, inputs: readonly Pixels[], sheet: Pixels, gap: number): Cell[] {
  const ratios = inputs.map(({ width, height }) => width / height);
  const asked =
    layout === 'row' ? [ratios] : layout === 'column' ? ratios.map((ratio) => [ratio]) : undefined;
  if (asked && cropCost(asked, sheet) < maxCost) return rowsOf(asked, sheet, gap);
  if (layout === 'grid' || layout === 'polaroids')
    return rowsOf(
      split(
        ratios.map(() => 1),
        gridRows(inputs.length, sheet),
      ),
      sheet,
      gap,
    );
  let best: { rows: number[][]; cost: number } = { rows: [ratios], cost: Number.POSITIVE_INFINITY };
  for (let count = 1; count <= inputs.length; count++) {
    const rows = split(ratios, count);
    const cost = cropCost(rows, sheet);
    if (cost < best.cost) best = { rows, cost };
  }
  return rowsOf(best.rows, sheet, gap);
}

/** The cost above which the inputs' shape decides, because cells would be slivers (fourteen in a row at 1:8). */
const maxCost = Math.log(6);

function gridRows(count: number, { width, height }: Pixels): number {
  return Math.min(count, Math.max(1, Math.round(Math.sqrt((count * height) / width))));
}

function split(ratios: readonly number[], count: number): number[][] {
  const total = ratios.reduce((sum, ratio) => sum + ratio, 0);
  const rows: number[][] = [];
  let row: number[] = [];
  let passed = 0;
  ratios.forEach((ratio, index) => {
    row.push(ratio);
    passed += ratio;
    const left = ratios.length - index - 1;
    const due = passed >= (total * (rows.length + 1)) / count - ratio * 0.5;
    if (rows.length < count - 1 && (due || left === count - rows.length - 1)) {
      rows.push(row);
      row = [];
    }
  });
  return [...rows, row].filter((cells) => cells.length > 0);
}

/** The difference between the rows' natural height and the sheet's, and a part for rows of unequal length. */
function cropCost(rows: readonly number[][], sheet: Pixels): number {
  const natural = rows.reduce((sum, row) => sum + sheet.width / total(row), 0);
  const lengths = rows.map(total);
  const uneven = Math.log(Math.max(...lengths) / Math.min(...lengths));
  return Math.abs(Math.log(natural / sheet.height)) + uneven * 0.35;
}

/** Divides the sheet's height among rows by their natural heights, and a row's width among cells by their ratios. */
function rowsOf(rows: readonly number[][], sheet: Pixels, gap: number): Cell[] {
  const cells: Cell[] = [];
  const heights = share(
    rows.map((row) => 1 / total(row)),
    sheet.height - gap * (rows.length + 1),
  );
  let top = gap;
  rows.forEach((row, index) => {
    const height = heights[index] ?? 1;
    let left = gap;
    for (const width of share(row, sheet.width - gap * (row.length + 1))) {
      cells.push({ left, top, width, height });
      left += width + gap;
    }
    top += height + gap;
  });
  return cells;
}

/** Divides the room into whole pixels, at least one for each weight. */
function share(weights: readonly number[], room: number): number[] {
  const sum = total(weights);
  let passed = 0;
  let used = 0;
  return weights.map((weight) => {
    passed += weight;
    const end = Math.round((room * passed) / sum);
    const size = Math.max(1, end - used);
    used = end;
    return size;
  });
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
