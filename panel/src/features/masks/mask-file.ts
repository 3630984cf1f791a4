import { t } from '../../languages/words.ts';
import { drawSteps, type MaskStep } from './mask-steps.ts';
import { soften } from './soften.ts';

/** The longest side of a mask: enough for a smooth edge. A larger mask would take longer to draw. */
const maxMaskSide = 2048;

interface Size {
  width: number;
  height: number;
}

export function maskSize({ width, height }: Size): Size {
  const factor = Math.min(1, maxMaskSide / Math.max(width, height));
  return { width: Math.round(width * factor), height: Math.round(height * factor) };
}

/** Makes the mask as painted; `feather` is in percent of the shorter side. @throws Error if nothing is marked */
export function paintedMask(image: Size, steps: readonly MaskStep[], feather: number): Promise<Blob> {
  const size = maskSize(image);
  const { context } = openCanvas(size);
  drawSteps(context, steps);
  return maskFile(context, (feather / 100) * Math.min(size.width, size.height));
}

/** Makes the mask of the opaque area, softened by `feather` pixels. @throws Error if nothing is marked */
export async function maskFile(context: CanvasRenderingContext2D, feather: number): Promise<Blob> {
  const { width, height } = context.canvas;
  const pixels = context.getImageData(0, 0, width, height);
  const { data } = pixels;
  const marked = new Uint8ClampedArray(width * height);
  for (let at = 0; at < marked.length; at += 1) marked[at] = data[at * 4 + 3] ?? 0;
  if (!marked.some((value) => value > 0))
    throw new Error(t('Nothing is marked. Paint over what should change.'));
  soften(marked, { width, height }, feather);
  for (const [at, value] of marked.entries()) data.set([value, value, value, 255], at * 4);
  const { context: opaque } = openCanvas({ width, height });
  opaque.putImageData(pixels, 0, 0);
  return fileOf(opaque.canvas);
}

export function openCanvas(size: Size) {
  const context = Object.assign(document.createElement('canvas'), size).getContext('2d');
  if (!context) throw new Error(t('This browser cannot draw.'));
  return { context };
}

export function fileOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error(t('The image is too large for this browser.')))),
      'image/png',
    ),
  );
}
