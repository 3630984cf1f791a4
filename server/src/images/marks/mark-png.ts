import { crc32 } from 'node:zlib';

/** The length of PNG's signature and header chunk. Chunks that describe the image follow. */
const headBytes = 33;
// The keyword, no compression, no language and no translation of the keyword.
const textHead = Buffer.from('iTXtXML:com.adobe.xmp\0\0\0\0\0', 'latin1');

/** Adds XMP to a complete PNG without XMP (XMP specification, part 3, 1.1.5). */
export function markPng(png: Uint8Array, xmp: string): Buffer {
  const body = Buffer.concat([textHead, Buffer.from(xmp)]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.byteLength - 4, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([
    png.subarray(0, headBytes),
    frame.subarray(0, 4),
    body,
    frame.subarray(4),
    png.subarray(headBytes),
  ]);
}
