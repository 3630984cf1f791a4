export const imprintSide = 32;

/** A perceptual hash (pHash) of low frequencies of the brightness (DCT), nearly equal for scaled or cropped copies. */
export interface Imprint {
  /** 64 bits in four bands of 16, which find a few candidates among many images. */
  bands: readonly number[];
  /** 256 bits of finer frequencies, in base64, which decide among the candidates. */
  fine: string;
}

const coarseSide = 8;
const fineSide = 16;
const bandBits = 16;
export const bandCount = coarseSide ** 2 / bandBits;
// The least contrast, in steps of brightness from 0 to 255. With less, the image shows nothing and the bits are noise.
const leastContrast = 8;

/** `grey` is the brightness in a square of `imprintSide`. Null for an image that shows nothing. */
export function imprintOf(grey: Uint8Array): Imprint | null {
  if (Math.max(...grey) - Math.min(...grey) < leastContrast) return null;
  const fine = frequenciesOf([...grey]);
  const coarse = fine.filter((_, at) => at % fineSide < coarseSide && at < fineSide * coarseSide);
  return {
    bands: wordsOf(aboveMedian(coarse), bandBits),
    fine: Buffer.from(wordsOf(aboveMedian(fine), 8)).toString('base64'),
  };
}

/** Checks data from a child process, because an image may have taken over that process. */
export function isImprint(value: unknown): value is Imprint {
  const { bands, fine } = Object(value) as Partial<Record<keyof Imprint, unknown>>;
  return (
    Array.isArray(bands) &&
    bands.length === bandCount &&
    bands.every((band) => Number.isInteger(band) && band >= 0 && band < 2 ** bandBits) &&
    typeof fine === 'string' &&
    /^[A-Za-z0-9+/]{43}=$/.test(fine)
  );
}

export function bitsApart(one: Imprint, other: Imprint): { coarse: number; fine: number } {
  const [bytes, others] = [Buffer.from(one.fine, 'base64'), Buffer.from(other.fine, 'base64')];
  return { coarse: differing(one.bands, other.bands), fine: differing([...bytes], [...others]) };
}

export function withOneChanged(band: number): number[] {
  return [band, ...Array.from({ length: bandBits }, (_, bit) => band ^ (1 << bit))];
}

function differing(words: readonly number[], others: readonly number[]): number {
  return words.reduce((sum, word, at) => sum + bitCount(word ^ (others[at] ?? 0)), 0);
}

function bitCount(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** The lowest frequencies in both directions, row by row. */
function frequenciesOf(grey: readonly number[]): number[] {
  const rows = Array.from({ length: imprintSide }, (_, y) =>
    transform(grey.slice(y * imprintSide, (y + 1) * imprintSide)),
  );
  const columns = Array.from({ length: fineSide }, (_, x) => transform(rows.map((row) => row[x] ?? 0)));
  return Array.from(
    { length: fineSide ** 2 },
    (_, at) => columns[at % fineSide]?.[Math.floor(at / fineSide)] ?? 0,
  );
}

function transform(line: readonly number[]): number[] {
  return waves.map((wave) => line.reduce((sum, value, at) => sum + value * (wave[at] ?? 0), 0));
}

const waves = Array.from({ length: fineSide }, (_, frequency) =>
  Array.from({ length: imprintSide }, (_, at) => Math.cos((Math.PI / imprintSide) * (at + 0.5) * frequency)),
);

function aboveMedian(values: readonly number[]): number[] {
  const median = values.toSorted((one, other) => one - other)[values.length / 2] ?? 0;
  return values.map((value) => (value >= median ? 1 : 0));
}

function wordsOf(bits: readonly number[], length: number): number[] {
  return Array.from({ length: bits.length / length }, (_, word) =>
    bits.slice(word * length, (word + 1) * length).reduce((sum, bit) => sum * 2 + bit, 0),
  );
}
