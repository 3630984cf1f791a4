import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import { maxEscapedBytes, parseJson, parseText } from '../http/json-body.ts';

/** Of strings as they are sent. Longer ones are images; their base64 is not copied. */
const longBytes = 8 * 1024;

const quote = 0x22;
const backslash = 0x5c;

/** A long string where it lies in the body, between its quotes and with its escapes. */
export class LongText {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** @throws AppError `invalid_request` when it is longer than any text may be, or no text */
  read(): string {
    if (this.bytes.length > maxEscapedBytes)
      throw new AppError('invalid_request', 'A text in the body is too long.');
    const text: unknown = isUtf8(this.bytes) ? parseText(`"${this.bytes.toString('utf8')}"`) : undefined;
    if (typeof text !== 'string') throw new AppError('invalid_request', 'The body is not valid UTF-8.');
    return text;
  }
}

/**
 * Parses JSON that carries images: long strings stay in the body as `LongText`, so that 40 MB of images are in memory once. What is
 * left has the limits of any body.
 *
 * @throws AppError `invalid_request`, `body_too_large`
 */
export function parseLargeJson(body: Buffer): unknown {
  const token = randomUUID();
  const long: LongText[] = [];
  const rest: Buffer[] = [];
  let kept = 0;
  for (let open = body.indexOf(quote); open >= 0; ) {
    const close = endOfString(body, open);
    if (close < 0) break;
    if (close - open > longBytes) {
      rest.push(body.subarray(kept, open + 1), Buffer.from(`${token}${long.length}`));
      long.push(new LongText(body.subarray(open + 1, close)));
      kept = close;
    }
    open = body.indexOf(quote, close + 1);
  }
  rest.push(body.subarray(kept));
  const size = rest.reduce((sum, { length }) => sum + length, 0);
  if (size > maxEscapedBytes)
    throw new AppError('body_too_large', 'Without its images the body is larger than this call takes.');
  const value = parseJson(Buffer.concat(rest));
  return putBack(value, (found) =>
    found.startsWith(token) ? long[Number(found.slice(token.length))] : undefined,
  );
}

/** The index of the closing quote. */
function endOfString(body: Buffer, open: number): number {
  for (let close = body.indexOf(quote, open + 1); close >= 0; close = body.indexOf(quote, close + 1)) {
    let first = close;
    while (body[first - 1] === backslash) first -= 1;
    // An odd number of backslashes escapes the quote.
    if ((close - first) % 2 === 0) return close;
  }
  return -1;
}

/** The value is small and flat by now. */
function putBack(value: unknown, find: (text: string) => LongText | undefined): unknown {
  if (typeof value === 'string') return find(value) ?? value;
  if (Array.isArray(value)) return value.map((one: unknown) => putBack(one, find));
  if (typeof value !== 'object' || value === null) return value;
  // `fromEntries` defines `__proto__` as a field like any other.
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, putBack(one, find)]));
}
