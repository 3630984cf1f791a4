const signatureBytes = 8;
/** Length, type and checksum around the data of a chunk. */
const chunkFrameBytes = 12;

// The chunks that affect how the picture looks, and the signed statement of its origin (C2PA). All others are
// metadata: texts, dates, EXIF, XMP, workflows of the software that made it.
const kept = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS'],
  ...['gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT', 'pHYs', 'bKGD'],
  'caBX',
]);

/**
 * Removes metadata from a PNG and keeps every other chunk byte for byte. The bytes must be a complete PNG.
 */
export function cleanPng(bytes: Uint8Array): Uint8Array {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks = [png.subarray(0, signatureBytes)];
  let removed = false;
  for (let at = signatureBytes; at + chunkFrameBytes <= png.length; ) {
    const length = png.readUInt32BE(at) + chunkFrameBytes;
    const type = png.toString('latin1', at + 4, at + 8);
    if (kept.has(type)) chunks.push(png.subarray(at, at + length));
    else removed = true;
    at += length;
    // Data after the end chunk is not part of the picture.
    if (type === 'IEND' && at < png.length) removed = true;
    if (type === 'IEND') break;
  }
  return removed ? Buffer.concat(chunks) : bytes;
}
