import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { PutOnDisk } from './disk-part.ts';

const repository = join(import.meta.dirname, '..');
const sizes = [4_096, 1_000_000];

/**
 * The store of pictures alone, every picture synced, with what this disk takes beside it. With `BENCH_BEFORE`, the
 * folder of another version, that one as well.
 */
export async function measureDisk(say: (line: string) => void, rounds: number): Promise<void> {
  const before = process.env.BENCH_BEFORE;
  const contenders = [
    ['appended to one file, a sync for all that wait', 'append'],
    ...(before ? [['Darkroom before', before]] : []),
    ['Darkroom', repository],
  ] as const;
  say('### pictures onto disk, every one synced\n');
  say('| bytes | at once | | a second | syncs a picture | CPU µs a picture |\n|---|---|---|---|---|---|');
  for (const bytes of sizes) {
    for (const atOnce of [1, 16, 64]) {
      const results = new Map<string, PutOnDisk[]>(contenders.map(([name]) => [name, []]));
      for (let round = 0; round < rounds; round += 1)
        for (const [name, way] of contenders) results.get(name)?.push(await putOnDisk(way, bytes, atOnce));
      for (const [name, list] of results) {
        const of = (key: keyof PutOnDisk) =>
          list.map((one) => one[key]).sort((a, b) => a - b)[rounds >> 1] ?? 0;
        const rates = `${Math.round(of('perSecond')).toLocaleString('en')} | ${of('syncs').toFixed(2)} | ${of('cpuMicros').toFixed(0)}`;
        say(`| ${bytes.toLocaleString('en')} | ${atOnce} | ${name} | ${rates} |`);
      }
    }
  }
  say('');
}

async function putOnDisk(way: string, bytes: number, atOnce: number): Promise<PutOnDisk> {
  const child = fork(join(import.meta.dirname, 'disk-part.ts'), [way, String(bytes), String(atOnce)]);
  const [result] = await once(child, 'message');
  return result as PutOnDisk; // the part sends nothing else
}
