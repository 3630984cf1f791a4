import { AppError } from '../errors.ts';
import { LongText } from './large-json.ts';

/** Small enough that one of nothing but escapes takes a millisecond or two. */
const chunkLength = 16 * 1024;
const escapes = /\\(?:u00([0-9a-f]{2})|(.))/gi;

/**
 * Decodes base64 piece by piece: either alphabet, padded or not. As JSON text it may be escaped, as .NET does with `+` and PHP with `/`,
 * and broken into lines.
 *
 * @throws AppError `invalid_request` when it is none
 */
export function* decodeBase64(data: string | LongText): Generator<Buffer> {
  let carried = '';
  let padded = '';
  for (const piece of data instanceof LongText ? unescaped(data.pieces) : pieces(data)) {
    const text = carried + padded + piece.replaceAll(/[\r\n\t ]/g, '');
    const [, letters, padding = ''] = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(text) ?? [];
    if (letters === undefined) throw notBase64();
    padded = padding;
    const whole = letters.length - (letters.length % 4);
    carried = letters.slice(whole);
    // Also when there is none, so that the reader can let others go on.
    yield Buffer.from(letters.slice(0, whole), 'base64');
  }
  if (carried.length === 1) throw notBase64();
  if (carried !== '') yield Buffer.from(carried, 'base64');
}

function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += chunkLength) yield text.slice(at, at + chunkLength);
}

function* unescaped(parts: readonly Buffer[]): Generator<string> {
  let begun = '';
  for (const bytes of parts)
    for (let at = 0; at < bytes.length; at += chunkLength) {
      const text = begun + bytes.toString('latin1', at, at + chunkLength);
      if (!text.includes('\\')) {
        begun = '';
        yield text;
        continue;
      }
      // An escape that is cut in two waits for its other part.
      const last = text.slice(text.lastIndexOf('\\'));
      begun = /^\\(?:u[0-9a-f]{0,3})?$/i.test(last) ? last : '';
      yield text.slice(0, text.length - begun.length).replaceAll(escapes, unescapeOne);
    }
  if (begun !== '') yield begun;
}

function unescapeOne(_all: string, code: string | undefined, letter = ''): string {
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  return letter === '/' ? '/' : 'nrt'.includes(letter) ? '\n' : '\\';
}

function notBase64(): AppError {
  return new AppError(
    'invalid_request',
    'An image is not valid base64; send its bytes without a "data:" prefix.',
  );
}

/** The length of this many bytes in base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
