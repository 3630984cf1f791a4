import { type AppError, wrongParameter } from '../../errors.ts';
import { isUuid } from '../std/ids.ts';
import { defaultPageSize } from './schemas.ts';

const kinds = {
  id: (part: unknown) => typeof part === 'string' && isUuid(part),
  number: (part: unknown) => typeof part === 'number' && Number.isSafeInteger(part) && part >= 0,
  token: (part: unknown) => typeof part === 'string' && /^[\w-]{1,64}$/.test(part),
  micros: (part: unknown) => typeof part === 'string' && /^-?\d{1,19}$/.test(part),
};
type Kind = keyof typeof kinds;

/** Encodes the end of a page as a cursor. `list-cursors.ts` seals it before a client gets it. */
export function writeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws AppError `invalid_request` for a text that is not a cursor */
export function readCursor<const Kinds extends readonly Kind[]>(
  cursor: string | undefined,
  wanted: Kinds,
): { [Index in keyof Kinds]: Kinds[Index] extends 'number' ? number : string } | undefined {
  if (cursor === undefined) return undefined;
  const parts = parse(cursor);
  if (
    Array.isArray(parts) &&
    parts.length === wanted.length &&
    wanted.every((kind, index) => kinds[kind](parts[index]))
  ) {
    return parts as never; // each part was just checked
  }
  throw wrongCursor('no_cursor');
}

const why = {
  no_cursor:
    'is not a cursor: take "next_cursor" from the answer before, or leave it out to begin at the start.',
  other_list:
    'is a cursor of another list: send it to the call that returned it, with the same filters, or leave it out to begin at the start.',
};

export function wrongCursor(reason: keyof typeof why): AppError {
  return wrongParameter('cursor', why[reason]);
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

export interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** The part of a list to read for a page. `limit` is one more than the page shows. */
export interface Slice {
  before: string | undefined;
  limit: number;
}

export async function readPage<Item extends { id: string }, Shown>(
  { cursor, limit }: { cursor?: string; limit?: string },
  read: (slice: Slice) => Promise<readonly Item[]>,
  present: (item: Item) => Shown,
): Promise<Page<Shown>> {
  const size = sizeOf(limit);
  const [before] = readCursor(cursor, ['id']) ?? [];
  const found = await read({ before, limit: size + 1 });
  const { data, next_cursor } = toPage(found, size, ({ id }) => writeCursor([id]));
  return { data: data.map(present), next_cursor };
}

export function sizeOf(limit: string | undefined): number {
  return Number(limit ?? defaultPageSize);
}

/** Builds a page. If another page follows, `items` has one item more than the page shows. */
export function toPage<Item>(
  items: readonly Item[],
  limit: number,
  cursorOf: (last: Item) => string,
): Page<Item> {
  const data = items.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: items.length > limit && last !== undefined ? cursorOf(last) : null };
}
