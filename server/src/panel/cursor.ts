import { AppError } from '../errors.ts';

/** Where a page ends, as a text that is only read here. */
export function writeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws AppError `invalid_request` for a text that we did not write */
export function readCursor<Parts extends readonly ('string' | 'number')[]>(
  cursor: string | undefined,
  ...types: Parts
): { [Index in keyof Parts]: Parts[Index] extends 'number' ? number : string } | undefined {
  if (cursor === undefined) return undefined;
  const parts = parse(cursor);
  if (
    Array.isArray(parts) &&
    parts.length === types.length &&
    parts.every((part, index) => typeof part === types[index])
  ) {
    return parts as never; // each part was just checked
  }
  const detail = 'is not a cursor; take "next_cursor" from the page before.';
  throw new AppError('invalid_request', `The cursor ${detail}`, {
    errors: [{ pointer: '/query/cursor', detail }],
  });
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** One item more than the page tells whether there is a next page. */
export function toPage<Item>(
  items: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): { data: Item[]; next_cursor: string | null } {
  const data = items.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: items.length > limit && last !== undefined ? cursorOf(last) : null };
}
