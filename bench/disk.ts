import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PutOnDisk } from './disk-part.ts';

const repository = join(import.meta.dirname, '..');
const sizes = [4_096, 1_000_000];

/**
 * Compares the image store, which syncs every image, with appending all images to one file. If `BENCH_BEFORE` names the
 * folder of an older version, its store is measured too.
 */
export async function measureDisk(say: (line: string) => void, rounds: number): Promise<void> {
  const before = process.env.BENCH_BEFORE;
  const contenders = [
    ['appended to one file, a sync for all that wait', 'append'],
    ...(before ? [['Darkroom before', before]] : []),
    ['Darkroom', repository],
  ] as const;
  // The folder is removed only at the end: ext4 skips recently freed inodes when it creates a file, so a removal after
  // each round would slow the next one.
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-disk-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  say('### images onto disk, every one synced\n');
  say(
    '| bytes | at once | | images per second | syncs per image | CPU µs per image |\n|---|---|---|---|---|---|',
  );
  for (const bytes of sizes) {
    for (const atOnce of [1, 16, 64]) {
      const results = new Map<string, PutOnDisk[]>(contenders.map(([name]) => [name, []]));
      for (let round = 0; round < rounds; round += 1)
        for (const [name, way] of contenders)
          results.get(name)?.push(await putOnDisk(way, bytes, atOnce, await mkdtemp(join(folder, 'one-'))));
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

async function putOnDisk(way: string, bytes: number, atOnce: number, folder: string): Promise<PutOnDisk> {
  const child = fork(join(import.meta.dirname, 'disk-part.ts'), [way, String(bytes), String(atOnce), folder]);
  const [result] = await once(child, 'message');
  return result as PutOnDisk; // the child sends nothing else
}
