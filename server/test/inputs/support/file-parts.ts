import { crc32, deflateSync } from 'node:zlib';

/** Hand-made pieces of image files that no encoder would write. */

const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

export interface PngShape {
  width: number;
  height: number;
  depth?: number;
  /** 0 grey, 2 RGB, 6 RGBA. */
  colour?: 0 | 2 | 6;
  interlaced?: boolean;
}

export function pngHeader({ width, height, depth = 8, colour = 0, interlaced = false }: PngShape): Buffer {
  return pngChunk(
    'IHDR',
    Buffer.concat([uint32(width), uint32(height), Buffer.from([depth, colour, 0, 0, interlaced ? 1 : 0])]),
  );
}

export function png(...chunks: Buffer[]): Buffer {
  return Buffer.concat([pngSignature, ...chunks, pngChunk('IEND')]);
}

export function blackPng(shape: PngShape, extra: Buffer[] = []): Buffer {
  const channels = { 0: 1, 2: 3, 6: 4 }[shape.colour ?? 0];
  const rowBytes = 1 + Math.ceil((shape.width * channels * (shape.depth ?? 8)) / 8);
  const data = deflateSync(Buffer.alloc(rowBytes * shape.height), { level: 9 });
  return png(pngHeader(shape), ...extra, pngChunk('IDAT', data));
}

export function withPngChunks(file: Buffer, ...chunks: Buffer[]): Buffer {
  const afterHeader = 8 + 25;
  return Buffer.concat([file.subarray(0, afterHeader), ...chunks, file.subarray(afterHeader)]);
}

export function withJpegSegments(file: Buffer, ...segments: Buffer[]): Buffer {
  return Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)]);
}

export function jpegSegment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), uint16(data.length + 2), data]);
}

export function withJpegSize(file: Buffer, width: number, height: number): Buffer {
  const forged = Buffer.from(file);
  for (let offset = 2; offset + 9 < forged.length; offset += 2 + forged.readUInt16BE(offset + 2)) {
    const marker = forged.readUInt8(offset + 1);
    if (marker !== 0xc0 && marker !== 0xc2) continue;
    forged.writeUInt16BE(height, offset + 5);
    forged.writeUInt16BE(width, offset + 7);
    return forged;
  }
  throw new Error('no frame header');
}

export function withRepeatedScan(file: Buffer, times: number): Buffer {
  const start = file.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = file.subarray(start, file.length - 2);
  return Buffer.concat([
    file.subarray(0, start),
    ...Array.from({ length: times }, () => scan),
    file.subarray(-2),
  ]);
}

export function gif({
  width,
  height,
  frames = [],
}: {
  width: number;
  height: number;
  frames?: Buffer[];
}): Buffer {
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  screen.writeUInt8(0x80, 4);
  const palette = Buffer.from([0, 0, 0, 255, 255, 255]);
  return Buffer.concat([Buffer.from('GIF89a'), screen, palette, ...frames, Buffer.from(';')]);
}

export function gifFrame(left = 0, top = 0): Buffer {
  const place = Buffer.alloc(4);
  place.writeUInt16LE(left, 0);
  place.writeUInt16LE(top, 2);
  return Buffer.concat([Buffer.from(','), place, Buffer.from([1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])]);
}

export function webp(...chunks: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF'), uint32le(body.length), body]);
}

export function webpChunk(type: string, data: Buffer): Buffer {
  const padding = Buffer.alloc(data.length % 2);
  return Buffer.concat([Buffer.from(type), uint32le(data.length), data, padding]);
}

/** The extended header: flags and canvas. */
export function webpCanvas(flags: number, width: number, height: number): Buffer {
  const data = Buffer.alloc(10);
  data.writeUInt8(flags, 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', data);
}

/** A TIFF that has only directories, each pointing to the next. */
export function tiffDirectories(count: number): Buffer {
  const parts: Buffer[] = [Buffer.from('II*\0\x08\0\0\0', 'latin1')];
  for (let index = 1; index <= count; index++) parts.push(Buffer.from([0, 0]), uint32le(8 + index * 6));
  return Buffer.concat(parts);
}

export function box(type: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([uint32(body.length + 8), Buffer.from(type, 'latin1'), body]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

function uint32le(value: number): Buffer {
  return uint32(value).reverse();
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
