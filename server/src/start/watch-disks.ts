import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Meter } from '../base/metrics/meter.ts';

/** The free space below which there may be no room for a commit or an image. */
const fullBytes = 4 * 1_048_576;
const everyMs = 10_000;
const patienceMs = 500;

export interface DiskWatch extends Disposable {
  /** Checks the disk now. Returns the last result if the disk does not answer. */
  isFull(): Promise<boolean>;
}

export async function watchDisks(
  folders: Readonly<Record<string, string>>,
  meter: Meter,
): Promise<DiskWatch> {
  const free = new Map<string, number>();
  meter.reading('darkroom_disk_free_bytes', 'Free bytes on the disk of a folder.', ['folder'], () =>
    [...free].map(([name, bytes]) => [bytes, [name]] as const),
  );

  async function look(): Promise<void> {
    await Promise.all(
      Object.entries(folders).map(async ([name, path]) => {
        const room = await statfs(path).catch(() => undefined); // the part that uses the folder reports its error
        if (room) free.set(name, room.bavail * room.bsize);
        else free.delete(name);
      }),
    );
  }

  const lookBriefly = () => Promise.race([look(), sleep(patienceMs, undefined, { ref: false })]);
  await lookBriefly();
  const timer = setInterval(look, everyMs).unref();
  return {
    async isFull() {
      await lookBriefly();
      return [...free.values()].some((bytes) => bytes < fullBytes);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
