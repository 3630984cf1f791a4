const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Callbacks for what a scanner finds. All positions are offsets in the current chunk. */
export interface JsonParts {
  /** The beginning of an object or list. `depth` is the number of objects and lists around it. */
  opened?(at: number, depth: number): void;
  /** The end of a value. `at` is the position after it. */
  closed?(at: number, depth: number): void;
  comma?(): void;
  /** A piece of a string, without quotes. `isEnd` says that the closing quote follows. */
  text?(from: number, to: number, isEnd: boolean): void;
}

/** Finds strings, commas and brackets in JSON as it arrives. Does not check that the JSON is valid. */
export class JsonScanner {
  readonly #parts: JsonParts;
  #depth = 0;
  #isText = false;
  /** True after an odd number of backslashes: then the next byte is escaped. */
  #isEscaped = false;

  constructor(parts: JsonParts) {
    this.#parts = parts;
  }

  feed(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at = this.#isText ? this.#scanText(chunk, at) : this.#scan(chunk, at);
  }

  #scan(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === quote) {
        this.#isText = true;
        return at + 1;
      }
      if (byte === comma) this.#parts.comma?.();
      else if (byte === 0x7b || byte === 0x5b) {
        this.#parts.opened?.(at, this.#depth);
        this.#depth += 1;
      } else if (byte === 0x7d || byte === 0x5d) {
        this.#depth -= 1;
        this.#parts.closed?.(at + 1, this.#depth);
      }
    }
    return chunk.length;
  }

  #scanText(chunk: Buffer, from: number): number {
    let after = from;
    for (let close = chunk.indexOf(quote, from); close >= 0; close = chunk.indexOf(quote, close + 1)) {
      const isEscaped = this.#endsEscaped(chunk, after, close);
      after = close + 1;
      this.#isEscaped = false;
      if (isEscaped) continue;
      this.#isText = false;
      this.#parts.text?.(from, close, true);
      return close + 1;
    }
    this.#isEscaped = this.#endsEscaped(chunk, after, chunk.length);
    this.#parts.text?.(from, chunk.length, false);
    return chunk.length;
  }

  #endsEscaped(chunk: Buffer, from: number, to: number): boolean {
    let first = to;
    while (first > from && chunk[first - 1] === backslash) first -= 1;
    const isOdd = (to - first) % 2 === 1;
    // If the previous chunk ended in the middle of an escape, the first character here completes it.
    return first === from && this.#isEscaped ? !isOdd : isOdd;
  }
}
