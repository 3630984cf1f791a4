// DER (X.690), the encoding of certificates, requests and time stamps. Node.js can only read certificates.

export function integer(value: number | Uint8Array): Buffer {
  const bytes = typeof value === 'number' ? Buffer.from([value]) : Buffer.from(value);
  return tagged(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(septets)]));
}

export const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0]));
export const octets = (bytes: Uint8Array) => tagged(0x04, bytes);
/** The last `unused` bits do not count. */
export const bits = (bytes: Uint8Array, unused = 0) => tagged(0x03, Buffer.from([unused]), bytes);
export const text = (value: string) => tagged(0x0c, Buffer.from(value));
export const sequence = (...parts: Uint8Array[]) => tagged(0x30, ...parts);
export const set = (...parts: Uint8Array[]) => tagged(0x31, ...parts);
export const field = (number: number, ...parts: Uint8Array[]) => tagged(0xa0 + number, ...parts);

/** Encodes a time before 2050, to the second. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${digits}Z`));
}

/** Returns each part with its head. @throws RangeError for anything but a sequence */
export function partsOf(der: Uint8Array): Buffer[] {
  const bytes = Buffer.from(der.buffer, der.byteOffset, der.byteLength);
  const parts: Buffer[] = [];
  const { start, end } = spanOf(bytes, 0);
  for (let at = start; at < end; ) {
    const part = spanOf(bytes, at);
    if (part.end > end) throw new RangeError('a part is longer than its whole');
    parts.push(bytes.subarray(at, part.end));
    at = part.end;
  }
  return parts;
}

function spanOf(bytes: Buffer, at: number): { start: number; end: number } {
  const first = bytes.readUInt8(at + 1);
  const more = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + more;
  const end = start + (more === 0 ? first : bytes.readUIntBE(at + 2, more));
  if (end > bytes.length) throw new RangeError('it is cut off');
  return { start, end };
}

function tagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(length)]), ...parts]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

function septets(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
