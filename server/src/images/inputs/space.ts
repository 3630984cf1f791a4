import { statfs } from 'node:fs/promises';
import { Overloaded } from '../../base/std/overloaded.ts';

/** Disk space for temporary files, shared by all requests of the process. */
export interface Space {
  /** @throws DiskLow if the disk has no room at all */
  open(tempDir: string, owner: string): Promise<Share>;
}

export interface Share extends Disposable {
  /** Call before writing the bytes. @throws Overloaded if the owner, or all owners together, would use too much */
  take(bytes: number): void;
  giveBack(bytes: number): void;
}

export interface SpaceLimits {
  perOwner: number;
  inProcess: number;
  /** The bytes to keep free for the database and other programs; 0 for no check. */
  minFree: number;
}

export class DiskLow extends Overloaded {
  override name = 'DiskLow';
}

/** Requests never wait for disk space. A request that finds none is refused, and its client can try again. */
export function createSpace({ perOwner, inProcess, minFree }: SpaceLimits): Space {
  const held = new Map<string, number>();
  let heldInAll = 0;
  /** The bytes that requests may use without touching `minFree`, measured for every request. */
  let room = inProcess;

  function change(owner: string, by: number): void {
    const now = (held.get(owner) ?? 0) + by;
    heldInAll += by;
    if (now === 0) held.delete(owner);
    else held.set(owner, now);
  }

  async function measure(tempDir: string): Promise<void> {
    if (minFree === 0) return;
    const { bavail, bsize } = await statfs(tempDir);
    const free = bavail * bsize - minFree;
    if (free <= 0)
      throw new DiskLow('The disk for input images is nearly full. Send the request again later.');
    room = Math.min(inProcess, heldInAll + free);
  }

  return {
    async open(tempDir, owner) {
      await measure(tempDir);
      let own = 0;
      return {
        take(bytes) {
          if ((held.get(owner) ?? 0) + bytes > perOwner || heldInAll + bytes > room) {
            throw new Overloaded(
              'Too many input images are being received at once. Send the request again shortly.',
            );
          }
          own += bytes;
          change(owner, bytes);
        },
        giveBack(bytes) {
          own -= bytes;
          change(owner, -bytes);
        },
        [Symbol.dispose]() {
          change(owner, -own);
          own = 0;
        },
      };
    },
  };
}
