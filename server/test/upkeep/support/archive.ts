/** Reads the files of a zip that is stored without compression. */
export async function* unpack(archive: AsyncIterable<Buffer>): AsyncGenerator<[name: string, bytes: Buffer]> {
  const all = Buffer.concat(await Array.fromAsync(archive));
  let at = all.readUIntLE(all.length - 6, 4);
  while (all.readUInt32LE(at) === 0x02014b50) {
    const [bytes, length] = [all.readUInt32LE(at + 24), all.readUInt16LE(at + 28)];
    const extra = all.readUInt16LE(at + 30);
    const offset = all.readUInt32LE(at + 42) + 30 + length;
    yield [all.toString('utf8', at + 46, at + 46 + length), all.subarray(offset, offset + bytes)];
    at += 46 + length + extra;
  }
}

export function rowsIn(files: Map<string, Buffer>, name: string): Record<string, unknown>[] {
  const lines = String(files.get(`${name}.jsonl`)).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
