import { sniffBytes, sniffImage } from '../../base/std/sniff-image.ts';
import { failure } from './failure.ts';
import { pick } from './pick.ts';

const readable: readonly (string | undefined)[] = ['image/png', 'image/jpeg', 'image/webp'];

export function requireImage(bytes: Uint8Array): Uint8Array {
  if (readable.includes(sniffImage(bytes.subarray(0, sniffBytes)))) return bytes;
  throw failure('bad_response', {
    sent: true,
    detail: `${bytes.byteLength} bytes that are not a PNG, JPEG or WebP image`,
  });
}

/** Reads an image: bytes, or a short base64 text, with or without the `data:…;base64,` that some servers send. */
export function pickImage(value: unknown, ...path: (string | number)[]): Uint8Array | undefined {
  const found = pick(value, ...path);
  if (found instanceof Uint8Array) return requireImage(found);
  if (typeof found !== 'string' || found === '') return undefined;
  return requireImage(
    Buffer.from(found.slice(found.startsWith('data:') ? found.indexOf(',') + 1 : 0), 'base64'),
  );
}
