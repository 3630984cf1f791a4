import { Readable } from 'node:stream';
import { StoreError } from './image-store.ts';

/** Reads a body into one block of exactly `bytes`, so that it can be hashed first and sent again. */
export async function readWhole(body: Uint8Array | Readable, bytes: number): Promise<Uint8Array> {
  if (!(body instanceof Readable)) {
    if (body.byteLength !== bytes)
      throw new StoreError(`the image has ${body.byteLength} bytes, not ${bytes}`);
    return body;
  }
  const whole = Buffer.allocUnsafe(bytes);
  let filled = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    // The cast is right: a Readable yields `any`, but the contract requires bytes.
    if (filled + chunk.byteLength > bytes) {
      throw new StoreError(`the image is longer than the ${bytes} bytes it was said to have`);
    }
    whole.set(chunk, filled);
    filled += chunk.byteLength;
  }
  if (filled < bytes) throw new StoreError(`the image ended after ${filled} of ${bytes} bytes`);
  return whole;
}
