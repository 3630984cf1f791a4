import { Readable } from 'node:stream';
import sharp from 'sharp';
import type { ImageRequest, InputImage, RunContext } from '../../../src/upstream/providers/provider.ts';
import { createSketch } from '../../../src/upstream/providers/sketch/sketch.ts';

export const sketch = createSketch();

export function request(prompt: string, changes: Partial<ImageRequest> = {}): ImageRequest {
  return {
    jobId: 'job',
    prompt,
    aspectRatio: '1:1',
    resolution: '1K',
    width: 512,
    height: 512,
    inputs: [],
    fields: {},
    ...changes,
  };
}

export function context(changes: Partial<RunContext> = {}): RunContext {
  const nothing = { onSubmitted: async () => {}, onCharge: () => {} };
  return { signal: new AbortController().signal, attempt: 1, ...nothing, ...changes };
}

export async function draw(prompt: string, changes: Partial<ImageRequest> = {}): Promise<Buffer> {
  const { bytes } = await sketch.generate(request(prompt, changes), context());
  return Buffer.from(bytes);
}

export function inputOf(bytes: Buffer, width: number, height: number): InputImage {
  return {
    mediaType: 'image/png',
    width,
    height,
    bytes: bytes.length,
    read: async () => Readable.from([bytes]),
  };
}

export async function solid(background: string, width = 300, height = 200): Promise<InputImage> {
  const bytes = await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
  return inputOf(bytes, width, height);
}

/** Mean difference per channel, 0 to 255. */
export async function difference(a: Buffer, b: Buffer): Promise<number> {
  const [one, two] = await Promise.all(
    [a, b].map((image) => sharp(image).resize(64, 64, { fit: 'fill' }).removeAlpha().raw().toBuffer()),
  );
  if (!one || !two) throw new Error('two images in, two out');
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += Math.abs((one[at] ?? 0) - (two[at] ?? 0));
  return sum / one.length;
}

export async function shareOf(
  image: Buffer,
  [red, green, blue]: readonly [number, number, number],
): Promise<number> {
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  let hits = 0;
  for (let at = 0; at < data.length; at += 3) {
    const far =
      Math.abs((data[at] ?? 0) - red) +
      Math.abs((data[at + 1] ?? 0) - green) +
      Math.abs((data[at + 2] ?? 0) - blue);
    if (far < 24) hits++;
  }
  return hits / (info.width * info.height);
}
