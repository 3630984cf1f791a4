import { addAbortSignal } from 'node:stream';
import type { StoredObject } from '../images/image-store.ts';
import { readWhole } from '../images/read-whole.ts';
import type { Signer } from '../images/signing/open-signer.ts';
import { createSemaphore } from '../inputs/semaphore.ts';

// Encoding only uses processor time, and the largest image takes 100 MB as file and pixels.
const atOnce = 2;
const slots = createSemaphore(atOnce);
// Effort 1 of 6: four times as fast as the default, with files a tenth larger.
const webpEffort = 1;
// Full colour resolution from this quality on, as most programs do.
const fullColour = 90;
const pieceBytes = 65_536;

/** A PNG of ours as JPEG or WebP, in pieces; made by threads of its own. `quality` is 1 to 100. */
export async function convertImage(
  { bytes, body }: StoredObject,
  { format, quality }: { format: 'jpeg' | 'webp'; quality: number },
  { signal, owner, signer }: { signal: AbortSignal; owner: string; signer: Signer | null },
): Promise<AsyncIterable<Buffer>> {
  addAbortSignal(signal, body);
  const leave = await slots.take(1, signal, owner);
  try {
    const png = await readWhole(body, bytes);
    const { default: sharp } = await import('sharp');
    const image = sharp(png, { sequentialRead: true }).keepXmp();
    const chromaSubsampling = quality >= fullColour ? '4:4:4' : '4:2:0';
    const encoded =
      format === 'jpeg'
        ? image.flatten({ background: 'white' }).jpeg({ quality, chromaSubsampling })
        : image.webp({ quality, effort: webpEffort });
    const file = await encoded.toBuffer();
    return pieces(signer ? Buffer.from(await signer.signCopy(file, png)) : file);
  } finally {
    leave();
  }
}

async function* pieces(file: Buffer): AsyncIterable<Buffer> {
  for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes);
}
