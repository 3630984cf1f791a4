import type { PixelPlace, Pixels } from '../renditions.ts';

export interface PixelRoom {
  open(): PixelPlace;
}

export function createPixelRoom(totalBytes: number): PixelRoom {
  let left = totalBytes;
  return {
    open() {
      let isOpen = true;
      let held = 0;
      let pixels: Pixels | undefined;
      let mark: string | undefined;
      const hold = (bytes: number) => {
        left += held - bytes;
        held = bytes;
      };
      return {
        get pixels() {
          return pixels && mark !== undefined ? { ...pixels, xmp: mark } : undefined;
        },
        async fill(mostBytes, decode) {
          if (mostBytes > left) return false;
          hold(mostBytes);
          const decoded = await decode().catch(() => undefined);
          if (isOpen) {
            pixels = decoded;
            hold(decoded?.data.byteLength ?? 0);
          }
          return decoded !== undefined;
        },
        mark(xmp) {
          mark = xmp;
        },
        [Symbol.dispose]() {
          isOpen = false;
          if (pixels) free(pixels.data);
          pixels = undefined;
          hold(0);
        },
      };
    },
  };
}

/** Frees the memory immediately, because the memory of many images would add up until the next garbage collection. */
function free({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
