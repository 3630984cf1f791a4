import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Eight bits each of red, green and blue, row by row. */
export interface Pixels {
  width: number;
  height: number;
  rgb: Uint8Array;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The number of channels by colour type: grey, true colour, grey with alpha, true colour with alpha. */
const channelsOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };
const maxPixels = 64_000_000;

/**
 * Reads a PNG with eight bits per channel (https://www.w3.org/TR/png-3/), without its transparency. Returns undefined
 * for palettes, sixteen bits, interlaced images and damaged files.
 */
export function readPng(file: Buffer): Pixels | undefined {
  if (!file.subarray(0, 8).equals(signature) || file.length < 33) return undefined;
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth, colourType, , , interlaced] = file.subarray(24, 29);
  const channels = channelsOf[colourType ?? -1];
  if (depth !== 8 || interlaced !== 0 || channels === undefined || width * height > maxPixels)
    return undefined;
  try {
    const rows = inflateSync(dataOf(file), { maxOutputLength: (width * channels + 1) * height });
    if (rows.length !== (width * channels + 1) * height) return undefined;
    return { width, height, rgb: toRgb(unfilter(rows, width * channels, height, channels), channels) };
  } catch {
    return undefined;
  }
}

function dataOf(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  }
  return Buffer.concat(parts);
}

/** Each row begins with the number of its filter. */
function unfilter(rows: Buffer, stride: number, height: number, channels: number): Uint8Array {
  const plain = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const predict = filters[rows[y * (stride + 1)] ?? -1];
    if (!predict) throw new RangeError('there is no such filter');
    const from = y * (stride + 1) + 1;
    const to = y * stride;
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : (plain[to + x - channels] ?? 0);
      const above = y === 0 ? 0 : (plain[to + x - stride] ?? 0);
      const corner = y === 0 || x < channels ? 0 : (plain[to + x - stride - channels] ?? 0);
      plain[to + x] = (rows[from + x] ?? 0) + predict(left, above, corner);
    }
  }
  return plain;
}

/** Each filter predicts a byte from its neighbours. The file contains the difference from that prediction. */
const filters: ((left: number, above: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_left, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

function paeth(left: number, above: number, corner: number): number {
  const [byLeft, byAbove, byCorner] = [
    Math.abs(above - corner),
    Math.abs(left - corner),
    Math.abs(left + above - 2 * corner),
  ];
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}

function toRgb(values: Uint8Array, channels: number): Uint8Array {
  if (channels === 3) return values;
  const count = values.length / channels;
  const rgb = new Uint8Array(count * 3);
  for (let at = 0; at < count; at++)
    for (let channel = 0; channel < 3; channel++)
      rgb[at * 3 + channel] = values[at * channels + (channels < 3 ? 0 : channel)] ?? 0;
  return rgb;
}

/** Averages several pixels into one, to reduce the image to a width. A narrower image stays unchanged. */
export function shrink(pixels: Pixels, maxWidth: number): Pixels {
  const scale = pixels.width / maxWidth;
  if (scale <= 1) return pixels;
  const height = Math.max(1, Math.round(pixels.height / scale));
  const rgb = new Uint8Array(maxWidth * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < maxWidth; x++)
      for (let channel = 0; channel < 3; channel++)
        rgb[(y * maxWidth + x) * 3 + channel] = mean(pixels, [x * scale, y * scale], scale, channel);
  return { width: maxWidth, height, rgb };
}

/** The samples along each side of a pixel. More would take seconds for a 4K image, without a visible difference. */
const samples = 3;

function mean(
  { width, height, rgb }: Pixels,
  [left, top]: [number, number],
  size: number,
  channel: number,
): number {
  let sum = 0;
  let count = 0;
  const step = Math.max(1, Math.floor(size / samples));
  for (let y = Math.floor(top); y < Math.min(height, Math.max(top + size, Math.floor(top) + 1)); y += step)
    for (
      let x = Math.floor(left);
      x < Math.min(width, Math.max(left + size, Math.floor(left) + 1));
      x += step
    ) {
      sum += rgb[(y * width + x) * 3 + channel] ?? 0;
      count += 1;
    }
  return count === 0 ? 0 : Math.round(sum / count);
}

export function writePng({ width, height, rgb }: Pixels): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(rgb.subarray(y * width * 3, (y + 1) * width * 3), y * (width * 3 + 1) + 1);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}
