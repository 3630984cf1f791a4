import { sniff, sniffBytes } from '../std/sniff-image.ts';
import { failure } from './failure.ts';

/** The formats that normalising a result can decode. */
const readable: readonly (string | undefined)[] = ['image/png', 'image/jpeg', 'image/webp'];

export function requireImage(bytes: Uint8Array): Uint8Array {
  if (readable.includes(sniff(bytes.subarray(0, sniffBytes)))) return bytes;
  throw failure('bad_response', {
    sent: true,
    detail: `${bytes.byteLength} bytes that are not a PNG, JPEG or WebP image`,
  });
}

/** With or without the `data:…;base64,` that some servers prefix. */
export function decodeImage(base64: string): Uint8Array {
  const comma = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  return requireImage(Buffer.from(comma > 0 ? base64.slice(comma) : base64, 'base64'));
}
