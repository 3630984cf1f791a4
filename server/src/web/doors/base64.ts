import { AppError } from '../../errors.ts';
import { LongText } from './large-json.ts';

/** The size of a chunk. Decoding one takes a fraction of a millisecond, whatever its content. */
const chunkBytes = 32 * 1024;

const letter = 1;
const space = 2;
const padding = 3;
/** The kind of each byte in base64, or 0 for a byte that base64 cannot contain. */
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z0-9+/_-]/.test(character)) return letter;
  if (/[\r\n\t ]/.test(character)) return space;
  return character === '=' ? padding : 0;
});

/**
 * Decodes base64 in either alphabet, with padding, line breaks and JSON escapes: .NET escapes `+`, and PHP escapes `/`.
 * Works byte by byte, because text replacement takes ten times as long for a body of line breaks.
 * @throws AppError `invalid_request` for anything else
 */
export function* decodeBase64(data: string | LongText): Generator<Buffer> {
  const letters = createLetters();
  const plain = createPlain();
  const isEscaped = data instanceof LongText;
  for (const bytes of isEscaped ? data.pieces : [Buffer.from(data)])
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const chunk = bytes.subarray(at, at + chunkBytes);
      letters.add(isEscaped ? plain(chunk) : chunk);
      // Yields even an empty piece, so that other work can run.
      yield letters.decode();
    }
  yield letters.decodeRest();
}

function createLetters() {
  const letters = Buffer.alloc(chunkBytes + 3);
  let count = 0;
  let paddings = 0;
  return {
    add(chunk: Buffer): void {
      for (const byte of chunk) {
        const kind = kinds[byte];
        if (kind === letter && paddings === 0) {
          letters[count] = byte;
          count += 1;
        } else if (kind === padding && paddings < 2) paddings += 1;
        else if (kind !== space) throw notBase64();
      }
    },
    decode(): Buffer {
      const whole = count - (count % 4);
      const decoded = Buffer.from(letters.toString('latin1', 0, whole), 'base64');
      letters.copyWithin(0, whole, count);
      count -= whole;
      return decoded;
    },
    decodeRest(): Buffer {
      if (count === 1) throw notBase64();
      return Buffer.from(letters.toString('latin1', 0, count), 'base64');
    },
  };
}

const backslash = 0x5c;
const u = 0x75;
const codeLength = 4;
/** The byte for which each escape stands. Escapes that base64 cannot contain are left out. */
const meanings: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const at = 'nrt/'.indexOf(String.fromCharCode(byte));
  return at < 0 ? undefined : '\n\r\t/'.charCodeAt(at);
});
const hexDigits = Array.from({ length: 256 }, (_, byte) => Number.parseInt(String.fromCharCode(byte), 16));

/** Creates a function that replaces escapes, even an escape that is split between two chunks. */
function createPlain(): (chunk: Buffer) => Buffer {
  const text = Buffer.alloc(chunkBytes);
  let state: 'none' | 'begun' | 'code' = 'none';
  let code = 0;
  let digits = 0;
  return (chunk) => {
    if (state === 'none' && !chunk.includes(backslash)) return chunk;
    let count = 0;
    for (const byte of chunk) {
      let meant: number | undefined = byte;
      if (state === 'code') {
        code = code * 16 + (hexDigits[byte] ?? 0);
        digits += 1;
        if (digits < codeLength) continue;
        meant = code < 0x80 ? code : undefined;
      } else if (state === 'begun') {
        if (byte === u) {
          state = 'code';
          code = 0;
          digits = 0;
          continue;
        }
        meant = meanings[byte];
      } else if (byte === backslash) {
        state = 'begun';
        continue;
      }
      if (meant === undefined) throw notBase64();
      state = 'none';
      text[count] = meant;
      count += 1;
    }
    return text.subarray(0, count);
  };
}

function notBase64(): AppError {
  return new AppError(
    'invalid_request',
    'An image is not valid base64; send its bytes without a "data:" prefix.',
  );
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
