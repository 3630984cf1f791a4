import { AppError } from '../../../errors.ts';
import { createCount, parseJson } from '../json-body.ts';

/** A part of a body. It is collected as it arrives, parsed separately, and dropped if it is too large. */
export interface Part {
  add(bytes: Buffer): void;
  readonly isTooLarge: boolean;
  readonly isBlank: boolean;
  /** @throws AppError `invalid_request` if the part is too large or not valid JSON */
  parse(): unknown;
  parseOr<Other>(other: Other): unknown;
}

/**
 * @param mostValues the maximum number of fields and entries
 * @param mostBytes the maximum number of bytes as received
 */
export function createPart(mostValues: number, mostBytes: number): Part {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isTooLarge = false;
  let isBlank = true;
  const count = createCount(mostValues);

  function parse(): unknown {
    return parseJson(Buffer.concat(pieces), mostValues);
  }

  return {
    add(piece) {
      if (isTooLarge || piece.length === 0) return;
      bytes += piece.length;
      isBlank &&= piece.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
      try {
        if (bytes > mostBytes) throw tooLarge;
        count.feed(piece);
        pieces.push(piece);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        isTooLarge = true;
        pieces = [];
      }
    },
    get isTooLarge() {
      return isTooLarge;
    },
    get isBlank() {
      return isBlank;
    },
    parse,
    parseOr(other) {
      try {
        return parse();
      } catch (error) {
        if (error instanceof AppError) return other;
        throw error;
      }
    },
  };
}

const tooLarge = new AppError('invalid_request', 'A part of the body is too large.');

/** Applies `replace` to each entry of a list; in an object, to each field, or to each entry of a field's list. */
export function mapLists(value: unknown, replace: (entry: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(replace);
  if (typeof value !== 'object' || value === null) return value;
  // `fromEntries` defines even `__proto__` as an ordinary field, where an assignment would set the prototype.
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, Array.isArray(one) ? one.map(replace) : replace(one)]),
  );
}

export function notJson(): AppError {
  const detail = 'The body is not valid JSON.';
  return new AppError('invalid_request', detail, { errors: [{ pointer: '', detail }] });
}
