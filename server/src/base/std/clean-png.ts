const signatureBytes = 8;
/** The bytes of the length, type and checksum around a chunk's data. */
const chunkFrameBytes = 12;

export const pixelChunks: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS']);

/** Keeps only these chunks of a PNG, byte for byte. The result is valid only if the input is. */
export function cleanPng(bytes: Uint8Array, kept: ReadonlySet<string>): Uint8Array {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = [png.subarray(0, signatureBytes)];
  let removed = false;
  for (let at = signatureBytes; at + chunkFrameBytes <= png.length; ) {
    const length = png.readUInt32BE(at) + chunkFrameBytes;
    const type = png.toString('latin1', at + 4, at + 8);
    if (kept.has(type)) chunks.push(png.subarray(at, at + length));
    else removed = true;
    at += length;
    // Data after the end chunk does not belong to the image.
    if (type === 'IEND' && at < png.length) removed = true;
    if (type === 'IEND') break;
  }
  return removed ? Buffer.concat(chunks) : bytes;
}
