import type { Sharp } from 'sharp';

// At this size, two drawings of one scene differ, but JPEG's artefacts do not show.
const side = 64;
/** The side at which crops are tried. A crop by whole pixels of `side` would misplace lines of text. */
const fineSide = 256;
const mostCut = 0.02;
/** Shares of a side to cut at both ends. The best pair is then refined in smaller steps. */
const cuts = [0, 0.005, 0.01, 0.015, 0.02] as const;
const steps = [0.0025, 0.00125, 0.000625] as const;
/** Below this contrast, of at most 255, JPEG's rounding is a large part of the image. */
const faintContrast = 8;
type Cut = readonly [before: number, behind: number];

/**
 * The likeness, at most 1, of the other image to the best-fitting crop of ours. Unlike a correlation, it also falls if
 * one image is uniformly brighter.
 */
export async function likenessOf(asked: () => Sharp, own: () => Sharp): Promise<number> {
  const [theirs, ours] = [await planesOf(asked()), await planesOf(own())];
  const { x, y } = bestCuts(theirs, ours);
  const whole = theirs.map((plane) => shrink(shrink(plane, [0, 0]), [0, 0]));
  const cut = ours.map((plane) => shrink(shrink(plane, y), x));
  let distance = 0;
  for (const [at, plane] of whole.entries()) distance += squareOf(plane, cut[at] ?? plane) / whole.length;
  return 1 - distance / 2 / (contrastOf(whole) * contrastOf(cut) + faintContrast ** 2);
}

async function planesOf(image: Sharp): Promise<Float64Array[]> {
  const square = image.flatten({ background: 'white' }).toColourspace('srgb');
  const { data, info } = await square
    .resize({ width: fineSide, height: fineSide, fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [0, 1, 2].map((colour) =>
    Float64Array.from(
      { length: fineSide ** 2 },
      (_, at) => data[at * info.channels + Math.min(colour, info.channels - 1)] ?? 0,
    ),
  );
}

/** Finds the cuts at which our image's brightness correlates best with that of the other image. */
function bestCuts(theirs: Float64Array[], ours: Float64Array[]): { x: Cut; y: Cut } {
  const other = centred(shrink(shrink(greyOf(theirs), [0, 0]), [0, 0]));
  const grey = greyOf(ours);
  const best: { x: Cut; y: Cut; likeness: number } = { x: [0, 0], y: [0, 0], likeness: -1 };
  const compare = (across: readonly Cut[], down: readonly Cut[]) => {
    for (const y of down) {
      const columns = shrink(grey, y);
      for (const x of across) {
        const likeness = product(other, centred(shrink(columns, x)));
        if (likeness > best.likeness) Object.assign(best, { x, y, likeness });
      }
    }
  };
  compare(usualCuts, usualCuts);
  for (const step of steps) compare(cutsBeside(best.x, step), cutsBeside(best.y, step));
  return best;
}

const usualCuts = pairsOf(cuts, cuts);

function cutsBeside([before, behind]: Cut, step: number): Cut[] {
  const beside = (cut: number) => [cut - step, cut, cut + step];
  return pairsOf(beside(before), beside(behind));
}

function pairsOf(before: readonly number[], behind: readonly number[]): Cut[] {
  const pairs = before.flatMap((one) => behind.map((other): Cut => [one, other]));
  return pairs.filter(([one, other]) => one >= 0 && other >= 0 && one + other <= mostCut + steps[0]);
}

function greyOf([red = nothing, green = nothing, blue = nothing]: Float64Array[]): Float64Array {
  return red.map((value, at) => 0.3 * value + 0.6 * (green[at] ?? 0) + 0.1 * (blue[at] ?? 0));
}

const nothing = new Float64Array();

/** Averages `fineSide` rows into `side` rows, cropping the first and the last. Returns rows as columns. */
function shrink(rows: Float64Array, [before, behind]: Cut): Float64Array {
  const width = rows.length / fineSide;
  const shrunk = new Float64Array(width * side);
  const height = (fineSide * (1 - before - behind)) / side;
  for (let column = 0; column < side; column += 1) {
    const from = before * fineSide + column * height;
    const to = Math.min(from + height, fineSide);
    for (let row = Math.floor(from); row < to; row += 1) {
      const part = (Math.min(row + 1, to) - Math.max(row, from)) / height;
      for (let at = 0; at < width; at += 1)
        shrunk[at * side + column] = (shrunk[at * side + column] ?? 0) + part * (rows[row * width + at] ?? 0);
    }
  }
  return shrunk;
}

// The functions below run four hundred times per comparison. Iterators would take most of their time.

function centred(values: Float64Array): Float64Array {
  const mean = meanOf(values);
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) - mean;
  const length = Math.sqrt(product(values, values)) || 1;
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / length;
  return values;
}

function product(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

function meanOf(values: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < values.length; at += 1) sum += values[at] ?? 0;
  return sum / values.length;
}

function squareOf(one: Float64Array, other: Float64Array): number {
  return meanOf(one.map((value, at) => (value - (other[at] ?? 0)) ** 2));
}

function contrastOf(planes: Float64Array[]): number {
  const squares = planes.map((plane) => {
    const mean = meanOf(plane);
    return meanOf(plane.map((value) => (value - mean) ** 2));
  });
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / planes.length);
}
