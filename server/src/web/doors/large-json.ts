import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { BodyReader } from '../../base/http/bodies/body-budget.ts';
import { JsonScanner } from '../../base/http/bodies/json-scanner.ts';
import {
  bodyTooLarge,
  createCount,
  maxEscapedBytes,
  maxValues,
  parseJson,
  parseText,
} from '../../base/http/json-body.ts';
import { AppError } from '../../errors.ts';

/** The length, as sent, above which a string counts as an image and its base64 is not copied. */
const longBytes = 8 * 1024;

interface TextBudget {
  bytes: number;
}

/** A long string as it arrived, without its quotes but with its escapes. */
export class LongText {
  readonly pieces: readonly Buffer[];
  readonly #budget: TextBudget;

  constructor(pieces: readonly Buffer[], budget: TextBudget = { bytes: maxEscapedBytes }) {
    this.pieces = pieces;
    this.#budget = budget;
  }

  /** @throws AppError `invalid_request` if the body's texts are too long in total, or this text is invalid */
  read(): string {
    this.#budget.bytes -= this.pieces.reduce((sum, { length }) => sum + length, 0);
    if (this.#budget.bytes < 0) throw new AppError('invalid_request', 'A text in the body is too long.');
    const bytes = Buffer.concat(this.pieces);
    const text: unknown = isUtf8(bytes) ? parseText(`"${bytes.toString('utf8')}"`) : undefined;
    if (typeof text !== 'string') throw new AppError('invalid_request', 'The body is not valid UTF-8.');
    return text;
  }

  cut(byte: number, within: number): [Buffer, LongText] | undefined {
    const [first = Buffer.alloc(0), ...others] = this.pieces;
    const head = first.length >= within ? first : Buffer.concat(this.pieces.slice(0, 2));
    const at = head.subarray(0, within).indexOf(byte);
    if (at < 0) return undefined;
    const rest = head === first ? others : this.pieces.slice(2);
    return [head.subarray(0, at), new LongText([head.subarray(at + 1), ...rest], this.#budget)];
  }
}

/**
 * Reads JSON. Long strings stay as they arrived, as `LongText`, so that 40 MB of images are in memory only once.
 * Everything else has the limits of any body, and is refused as soon as it exceeds them.
 * @throws AppError `invalid_request`, `body_too_large`
 */
export function readLargeJson(): BodyReader {
  const token = randomUUID();
  const long: LongText[] = [];
  const budget: TextBudget = { bytes: maxEscapedBytes };
  const rest: Buffer[] = [];
  let restBytes = 0;
  let chunk: Buffer = Buffer.alloc(0);
  /** The index up to which the chunk has been copied to `rest` or a long text. */
  let kept = 0;
  let text: Buffer[] = [];
  let textBytes = 0;

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    restBytes += bytes.length;
    if (restBytes > maxEscapedBytes) throw bodyTooLarge(maxEscapedBytes, 'The body without its images');
    count.feed(bytes);
    // Copies small pieces, because each of them would otherwise keep the whole chunk in memory.
    rest.push(bytes.length < chunk.length / 2 ? Buffer.from(bytes) : bytes);
  }

  const count = createCount(maxValues);
  const scanner = new JsonScanner({
    text(from, to, isEnd) {
      keep(chunk.subarray(kept, from));
      kept = to;
      text.push(chunk.subarray(from, to));
      textBytes += to - from;
      if (!isEnd) return;
      if (textBytes > longBytes) {
        keep(Buffer.from(`${token}${long.length}`));
        long.push(new LongText(text, budget));
      } else for (const piece of text) keep(piece);
      text = [];
      textBytes = 0;
    },
  });

  return {
    take(arrived) {
      chunk = arrived;
      kept = 0;
      scanner.feed(arrived);
      keep(arrived.subarray(kept));
    },
    end() {
      const value = parseJson(Buffer.concat(rest));
      return putBack(value, (found) =>
        found.startsWith(token) ? long[Number(found.slice(token.length))] : undefined,
      );
    },
  };
}

/** Recurses without a limit, because the value is small and flat at this point. */
function putBack(value: unknown, find: (text: string) => LongText | undefined): unknown {
  if (typeof value === 'string') return find(value) ?? value;
  if (Array.isArray(value)) return value.map((one: unknown) => putBack(one, find));
  if (typeof value !== 'object' || value === null) return value;
  // `fromEntries` defines even `__proto__` as an ordinary field.
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, putBack(one, find)]));
}
