import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';

export interface ZipFile {
  name: string;
  /** Milliseconds. The archive stores UTC with a precision of two seconds. */
  modifiedAt: number;
  /** At most 4 GiB. Undefined for a file that is gone, which the archive omits. */
  open(): Promise<Readable | undefined>;
}

// PKWARE's APPNOTE.TXT, 4.3 and 4.5. Images are compressed already, so the archive compresses nothing.
const signatures = { local: 0x04034b50, descriptor: 0x08074b50, central: 0x02014b50 };
const ends = { zip64: 0x06064b50, locator: 0x07064b50, end: 0x06054b50 };
/** The flags: sizes and checksum follow the file, and names are UTF-8. */
const flags = 0x0808;
const version = 45;
const madeOnUnix = (3 << 8) | version;
const permissions = 0o100644;
/** The value of a field whose number is in a separate 64-bit field. */
const max32 = 0xffff_ffff;
const max16 = 0xffff;

interface Written {
  name: Buffer;
  time: number;
  crc: number;
  bytes: number;
  offset: number;
}

/** Opens one file at a time. `before` is the number of bytes before the archive in its file. */
export async function* writeZip(
  files: Iterable<ZipFile> | AsyncIterable<ZipFile>,
  before = 0,
): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = before;
  for await (const { name, modifiedAt, open } of files) {
    const body = await open();
    if (!body) continue;
    const entry = { name: Buffer.from(name), time: dosTime(modifiedAt), crc: 0, bytes: 0, offset };
    const header = pack([signatures.local, 4], ...describe(entry), [entry.name.length, 2], [0, 2]);
    try {
      yield Buffer.concat([header, entry.name]);
      for await (const chunk of body as AsyncIterable<Buffer>) {
        entry.crc = crc32(chunk, entry.crc);
        entry.bytes += chunk.length;
        yield chunk;
      }
    } finally {
      // Closes the file if the reader leaves early.
      body.destroy();
    }
    const descriptor = pack([signatures.descriptor, 4], [entry.crc, 4], [entry.bytes, 4], [entry.bytes, 4]);
    yield descriptor;
    offset += header.length + entry.name.length + entry.bytes + descriptor.length;
    written.push(entry);
  }
  const directory = Buffer.concat(written.map(centralHeader));
  yield Buffer.concat([directory, endOf(written.length, directory.length, offset)]);
}

function describe({ time, crc, bytes }: Written): [value: number, size: 2 | 4 | 8][] {
  return [
    [version, 2],
    [flags, 2],
    [0, 2],
    [time, 4],
    [crc, 4],
    [bytes, 4],
    [bytes, 4],
  ];
}

function centralHeader(entry: Written): Buffer {
  const { name, offset } = entry;
  const extra = offset < max32 ? Buffer.alloc(0) : pack([1, 2], [8, 2], [offset, 8]);
  const header = pack(
    ...([
      [signatures.central, 4],
      [madeOnUnix, 2],
    ] as const),
    ...describe(entry),
    ...([
      [name.length, 2],
      [extra.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
    ] as const),
    ...([
      [permissions * 65_536, 4],
      [Math.min(offset, max32), 4],
    ] as const),
  );
  return Buffer.concat([header, name, extra]);
}

function endOf(count: number, bytes: number, offset: number): Buffer {
  const isLarge = offset >= max32 || count >= max16;
  const large = isLarge
    ? pack(
        ...([
          [ends.zip64, 4],
          [44, 8],
          [madeOnUnix, 2],
          [version, 2],
          [0, 4],
          [0, 4],
        ] as const),
        ...([
          [count, 8],
          [count, 8],
          [bytes, 8],
          [offset, 8],
        ] as const),
        ...([
          [ends.locator, 4],
          [0, 4],
          [offset + bytes, 8],
          [1, 4],
        ] as const),
      )
    : Buffer.alloc(0);
  const end = pack(
    ...([
      [ends.end, 4],
      [0, 2],
      [0, 2],
      [Math.min(count, max16), 2],
      [Math.min(count, max16), 2],
      [bytes, 4],
    ] as const),
    ...([
      [Math.min(offset, max32), 4],
      [0, 2],
    ] as const),
  );
  return Buffer.concat([large, end]);
}

/** Little-endian numbers, each with its size in bytes. */
function pack(...numbers: readonly (readonly [value: number, size: 2 | 4 | 8])[]): Buffer {
  const packed = Buffer.alloc(numbers.reduce((sum, [, size]) => sum + size, 0));
  let at = 0;
  for (const [value, size] of numbers) {
    if (size === 8) packed.writeBigUInt64LE(BigInt(value), at);
    else packed.writeUIntLE(value, at, size);
    at += size;
  }
  return packed;
}

/** Encodes a time as MS-DOS does: the time of day in the low half, the date in the high half, with years since 1980. */
function dosTime(ms: number): number {
  const date = new Date(Math.max(ms, Date.UTC(1980, 0, 1)));
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return day * 65_536 + time;
}
