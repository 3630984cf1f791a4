// Markers of ITU-T T.81, table B.1.
const start = 0xd8;
const end = 0xd9;
const startOfScan = 0xda;
const application0 = 0xe0;
const application14 = 0xee;
const comment = 0xfe;
const kept = new Set([0xc0, 0xc1, 0xc2, 0xc4, 0xdb, 0xdd, startOfScan]);

// These segments say how colours are coded, so they are kept. A thumbnail after the fixed part of JFIF is removed.
const jfif = { name: 'JFIF\0', bytes: 14, without: [12, 13] };
const adobe = { name: 'Adobe', bytes: 12, without: [] };

/** Removes Exif, XMP, comments, thumbnails, profiles and trailing data. Undefined if a part is unknown or missing. */
export function cleanJpeg(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff00 + start) return undefined;
  const parts: Buffer[] = [bytes.subarray(0, 2)];
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === end; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return undefined;
    if (marker === end) return Buffer.concat([...parts, bytes.subarray(at, at + 2)]);
    const next = at + 2 + bytes.readUInt16BE(at + 2);
    if (next > bytes.length) return undefined;
    const segment = bytes.subarray(at, next);
    const isApplication = marker >= application0 && marker <= 0xef;
    if (marker === application0) parts.push(...fixedPart(segment, jfif));
    else if (marker === application14) parts.push(...fixedPart(segment, adobe));
    else if (kept.has(marker)) parts.push(segment);
    else if (!isApplication && marker !== comment) return undefined;
    at = next;
    if (marker === startOfScan) {
      at = endOfScan(bytes, next);
      parts.push(bytes.subarray(next, at));
    }
  }
  return undefined;
}

function fixedPart(segment: Buffer, { name, bytes, without }: typeof jfif | typeof adobe): Buffer[] {
  const data = Buffer.from(segment.subarray(4, 4 + bytes));
  if (data.length < bytes || data.toString('latin1', 0, name.length) !== name) return [];
  for (const at of without) data[at] = 0;
  return [Buffer.from([0xff, segment[1] ?? 0, 0, bytes + 2]), data];
}

/** In a scan's data, 0xff comes only before a zero or a restart marker. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1] ?? end;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}
