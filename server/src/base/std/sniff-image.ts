/** The type of a file, recognized by its first bytes. `Content-Type` is ignored, because it is often wrong. */
export type SourceMediaType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif';

export const sniffBytes = 16;

export function sniffImage(head: Uint8Array): SourceMediaType | undefined {
  return signatures.find(({ parts }) => parts.every(([offset, text]) => matches(head, offset, text)))
    ?.mediaType;
}

const signatures: readonly { mediaType: SourceMediaType; parts: readonly [number, string][] }[] = [
  { mediaType: 'image/jpeg', parts: [[0, '\xff\xd8\xff']] },
  { mediaType: 'image/png', parts: [[0, '\x89PNG\r\n\x1a\n']] },
  {
    mediaType: 'image/webp',
    parts: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { mediaType: 'image/gif', parts: [[0, 'GIF87a']] },
  { mediaType: 'image/gif', parts: [[0, 'GIF89a']] },
];

function matches(head: Uint8Array, offset: number, text: string): boolean {
  return Buffer.from(head.subarray(offset, offset + text.length)).equals(Buffer.from(text, 'latin1'));
}
