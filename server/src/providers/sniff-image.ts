import { failure } from './failure.ts';

type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';

/** What the first bytes say; upstreams' own media types are often wrong. */
function sniffImage(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

export function requireImage(bytes: Uint8Array): Uint8Array {
  if (sniffImage(bytes)) return bytes;
  throw failure('bad_response', {
    sent: true,
    detail: `${bytes.byteLength} bytes that are not a PNG, JPEG or WebP image`,
  });
}

/** With or without the `data:…;base64,` that some servers put in front. */
export function decodeImage(base64: string): Uint8Array {
  const comma = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  return requireImage(Buffer.from(comma > 0 ? base64.slice(comma) : base64, 'base64'));
}
