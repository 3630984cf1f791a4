import type { Readable } from 'node:stream';

/** Less than a mobile phone of ten years ago sends. Whoever sends slower than this gives way to those who want the memory. */
const leastPerMs = 256;
/** A moment without data is nothing. */
const windowMs = 5_000;

/** A large body that arrives, or has arrived, and the memory that it takes. */
export interface Holder {
  accountId: string;
  readonly bytes: number;
  /** So much of it is here now. */
  arrived(bytes: number): void;
  /** All of it is here. */
  end(): void;
  /** The pace over the last seconds, in bytes a millisecond. */
  pace(): number;
  isSlow(): boolean;
  /** Ends it with this error. */
  giveWay(error: Error): void;
  /** Yields what arrives, until this body must give way. Does not destroy the stream, which would end the connection. */
  unlessGivenWay(payload: Readable): AsyncIterable<Buffer>;
}

export function holderOf(accountId: string): Holder {
  const gaveWay = Promise.withResolvers<never>();
  gaveWay.promise.catch(() => {}); // it may be told after the last piece
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
        // It ends once the piece that it waits for is there; whoever resumes the stream earlier is not heard.
        void chunks.return?.().then(
          () => payload.resume(),
          () => {},
        );
      }
    },
  };
}
