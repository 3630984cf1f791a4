import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { createMeter } from '../../server/src/base/metrics/meter.ts';
import { systemClock } from '../../server/src/base/std/clock.ts';
import { openSigner } from '../../server/src/images/signing/open-signer.ts';
import { selfSigned } from '../../server/test/images/support/signing.ts';
import { silentLog } from '../../server/test/world/silent-log.ts';
import { drawScene } from './scenes.ts';

export const upstreamName = 'An upstream';

export interface Source {
  kind: string;
  isSigned: boolean;
  bytes: Buffer;
}

const kinds: Record<string, (image: Sharp) => Promise<Buffer>> = {
  'PNG with a text': async (image) => withText(await image.png().toBuffer()),
  'PNG with EXIF and ICC': (image) => image.withExif(exif).withIccProfile('p3').png().toBuffer(),
  'JPEG with EXIF': (image) => image.withExif(exif).jpeg().toBuffer(),
  'JPEG with ICC': (image) => image.withIccProfile('p3').jpeg().toBuffer(),
  'WebP with EXIF and ICC': (image) => image.withExif(exif).withIccProfile('p3').webp().toBuffer(),
};
const exif = { IFD0: { Software: 'An upstream', ImageDescription: 'a fox' } };
/** In pixels: the model's size, at which a PNG keeps its pixels, and one at which every image is encoded again. */
const sides = [1024, 1152] as const;

export async function makeSources(count: number): Promise<Source[]> {
  await using signer = openSigner(selfSigned(upstreamName), {
    clock: systemClock,
    log: silentLog,
    meter: createMeter(),
  });
  const sources: Source[] = [];
  for (let index = 0; index < 2 * count; index += 1) {
    const isSigned = index % 2 === 1;
    const [kind, encode] = pick(Object.entries(kinds), index >> 1);
    const side = pick(sides, Math.floor(index / 2 / Object.keys(kinds).length));
    const plain = await encode(sharp(await drawScene(`source ${index}`, side)));
    const claim = { sourceType: 'trainedAlgorithmicMedia', model: 'theirs-1', atMs: Date.now() } as const;
    const signed = isSigned ? await signer.signResult(plain, claim, null) : { bytes: plain };
    if (!signed) throw new Error(`a ${kind} could not be signed`);
    sources.push({ kind, isSigned, bytes: Buffer.from(signed.bytes) });
  }
  return sources;
}

export function pick<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('the list is empty');
  return found;
}

const headBytes = 33;

/** Puts a chunk of text after the header, where image programs write the prompt. */
function withText(png: Buffer): Buffer {
  const chunk = Buffer.from('\0\0\0\0tEXtprompt\0a fox\0\0\0\0', 'latin1');
  chunk.writeUInt32BE(chunk.length - 12);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return Buffer.concat([png.subarray(0, headBytes), chunk, png.subarray(headBytes)]);
}
