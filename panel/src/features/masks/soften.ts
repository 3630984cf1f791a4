/** The number of box blurs. Three in a row are close enough to a Gaussian blur. */
const passes = 3;

/**
 * Blurs one channel of an image, because Safari's canvas has no `filter`. Border pixels repeat beyond the edges, so
 * that a mark at an edge stays solid. A radius of `r` is a standard deviation of about `r` pixels.
 */
export function soften(
  values: Uint8ClampedArray,
  { width, height }: { width: number; height: number },
  radius: number,
): void {
  const reach = Math.round(radius);
  if (reach < 1) return;
  for (let pass = 0; pass < passes; pass += 1) {
    for (let y = 0; y < height; y += 1) blurLine(values, { start: y * width, step: 1, length: width }, reach);
    for (let x = 0; x < width; x += 1) blurLine(values, { start: x, step: width, length: height }, reach);
  }
}

interface Line {
  start: number;
  step: number;
  length: number;
}

function blurLine(values: Uint8ClampedArray, { start, step, length }: Line, reach: number): void {
  const line = new Uint8ClampedArray(length);
  for (let index = 0; index < length; index += 1) line[index] = values[start + index * step] ?? 0;
  const at = (index: number) => line[Math.min(length - 1, Math.max(0, index))] ?? 0;
  let sum = 0;
  for (let index = -reach; index <= reach; index += 1) sum += at(index);
  for (let index = 0; index < length; index += 1) {
    values[start + index * step] = sum / (2 * reach + 1);
    sum += at(index + reach + 1) - at(index - reach);
  }
}
