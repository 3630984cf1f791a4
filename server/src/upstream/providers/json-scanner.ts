import { randomUUID } from 'node:crypto';
import { Base64Decoder } from './base64-decoder.ts';

/** The length in bytes, as sent, above which a base64 string is treated as an image. */
const longBytes = 8 * 1024;
const quote = 0x22;
const backslash = 0x5c;
const closing = Buffer.from('"');
const base64 =
  /^(?:data:[\w/+.;=-]{1,100},)?(?:[A-Za-z0-9+/_=-]|\\[/nr]|\\u00[0-9a-f]{2})*(?:\\u?[0-9a-f]{0,3})?$/i;

/** Decodes long base64 strings as they arrive, never as JavaScript strings, so an image is in memory only once. */
export class JsonScanner {
  #token = randomUUID();
  #rest: Buffer[] = [];
  #images: Base64Decoder[] = [];
  #string: LongString | undefined;
  #bytesLeft: number;

  /** @param bytes the expected total, if known */
  constructor(bytes = 0) {
    this.#bytesLeft = bytes;
  }

  write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#string) {
        const close = this.#string.endIn(chunk, at);
        this.#string.write(chunk.subarray(at, close), this.#bytesLeft - at);
        if (close < chunk.length) this.#endString(this.#string);
        at = close + 1;
      } else {
        const open = chunk.indexOf(quote, at);
        const next = open < 0 ? chunk.length : open + 1;
        this.#rest.push(chunk.subarray(at, next));
        if (open >= 0) this.#string = new LongString();
        at = next;
      }
    }
    this.#bytesLeft -= chunk.length;
  }

  text(): Buffer {
    return Buffer.concat(this.#string ? [...this.#rest, ...this.#string.pieces] : this.#rest);
  }

  /** The value, with each image as its bytes. @throws SyntaxError */
  parse(): unknown {
    const text = this.text().toString('utf8');
    if (this.#images.length === 0) return JSON.parse(text);
    return JSON.parse(text, (_name, value: unknown) =>
      typeof value === 'string' && value.startsWith(this.#token)
        ? this.#images[Number(value.slice(this.#token.length))]?.bytes
        : value,
    );
  }

  #endString({ pieces, image }: LongString): void {
    if (image) this.#rest.push(Buffer.from(`${this.#token}${this.#images.push(image) - 1}`));
    else this.#rest.push(...pieces);
    this.#rest.push(closing);
    this.#string = undefined;
  }
}

class LongString {
  pieces: Buffer[] = [];
  image: Base64Decoder | undefined;
  #bytes = 0;
  #isText = false;
  #isEscaped = false;

  /** The index of the closing quote, or the length of the chunk. */
  endIn(chunk: Buffer, from: number): number {
    for (let at = from; ; ) {
      const close = chunk.indexOf(quote, at);
      const end = close < 0 ? chunk.length : close;
      const isEscaped = this.#isEscapedAt(chunk, from, end);
      if (close < 0) this.#isEscaped = isEscaped;
      if (close < 0 || !isEscaped) return end;
      at = close + 1;
    }
  }

  /** @param bytesLeft the maximum number of bytes left, including this piece, if known */
  write(piece: Buffer, bytesLeft: number): void {
    if (this.image) {
      this.image.write(piece.toString('latin1'));
      return;
    }
    this.pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#isText || this.#bytes <= longBytes) return;
    const head = Buffer.concat(this.pieces).toString('latin1');
    this.#isText = !base64.test(head.slice(0, longBytes));
    if (this.#isText) return;
    this.image = new Base64Decoder(Math.max(bytesLeft, this.#bytes));
    this.image.write(head.slice(head.startsWith('data:') ? head.indexOf(',') + 1 : 0));
    this.pieces = [];
  }

  /** An odd number of backslashes escapes the next character. */
  #isEscapedAt(chunk: Buffer, from: number, end: number): boolean {
    let first = end;
    while (first > from && chunk[first - 1] === backslash) first -= 1;
    const carried = first === from && this.#isEscaped ? 1 : 0;
    return (end - first + carried) % 2 === 1;
  }
}
