import type { Readable } from 'node:stream';

/** The lowest speed of a sender, in bytes per millisecond. Slower senders are cut off when others need the memory. */
const leastPerMs = 256;
/** The time over which speed is measured, so long that a short stall does not count. */
const windowMs = 5_000;

/** A large body, arriving or complete, and the memory that it takes. */
export interface Holder {
  accountId: string;
  readonly bytes: number;
  arrived(bytes: number): void;
  end(): void;
  /** The speed over the last seconds, in bytes per millisecond. */
  pace(): number;
  isSlow(): boolean;
  giveWay(error: Error): void;
  /** Yields data until the body must give way. Does not destroy the stream, which would end the connection. */
  unlessGivenWay(payload: Readable): AsyncIterable<Buffer>;
}

export function holderOf(accountId: string): Holder {
  const gaveWay = Promise.withResolvers<never>();
  gaveWay.promise.catch(() => {}); // may reject after the last piece, when nothing awaits it
  let bytes = 0;
  let isWhole = false;
  let since = { at: performance.now(), bytes: 0 };
  let last = Number.POSITIVE_INFINITY;
  let lastAt = since.at;

  function pace(): number {
    const now = performance.now();
    if (now - lastAt >= windowMs) return 0;
    const elapsed = now - since.at;
    return elapsed < windowMs ? last : (bytes - since.bytes) / elapsed;
  }

  return {
    accountId,
    get bytes() {
      return bytes;
    },
    arrived(now) {
      bytes = now;
      last = pace();
      lastAt = performance.now();
      if (performance.now() - since.at >= windowMs) since = { at: performance.now(), bytes };
    },
    end() {
      isWhole = true;
    },
    pace,
    isSlow: () => !isWhole && pace() < leastPerMs,
    giveWay: gaveWay.reject,
    async *unlessGivenWay(payload) {
      const chunks = payload.iterator({ destroyOnReturn: false });
      try {
        for (;;) {
          const { done, value } = await Promise.race([chunks.next(), gaveWay.promise]);
          if (done === true) return;
          yield value as Buffer; // no encoding is set
        }
      } finally {
        // The iterator pauses the stream once its awaited chunk arrives, so an earlier resume would have no effect.
        void chunks.return?.().then(
          () => payload.resume(),
          () => {},
        );
      }
    },
  };
}
