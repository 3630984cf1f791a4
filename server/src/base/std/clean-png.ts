const signatureBytes = 8;
/** The bytes of the length, type and checksum around a chunk's data. */
const chunkFrameBytes = 12;

export const pixelChunks: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS']);

/** Keeps only these chunks of a PNG, byte for byte. The result is valid only if the input is. */
export function cleanPng(bytes: Uint8Array, kept: ReadonlySet<string>): Uint8Array {
  const chunks = [bytes.subarray(0, signatureBytes)];
  let removed = false;
  for (const { type, chunk, isLast } of chunksOf(bytes)) {
    if (kept.has(type)) chunks.push(chunk);
    else removed = true;
    // Data after the end chunk does not belong to the image.
    if (type === 'IEND' && !isLast) removed = true;
  }
  return removed ? Buffer.concat(chunks) : bytes;
}

export function hasChunk(bytes: Uint8Array, type: string): boolean {
  return chunksOf(bytes).some((chunk) => chunk.type === type);
}

function* chunksOf(bytes: Uint8Array) {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = signatureBytes; at + chunkFrameBytes <= png.length; ) {
    const end = at + png.readUInt32BE(at) + chunkFrameBytes;
    const type = png.toString('latin1', at + 4, at + 8);
    yield { type, chunk: png.subarray(at, end), isLast: end >= png.length };
    if (type === 'IEND') return;
    at = end;
  }
}
