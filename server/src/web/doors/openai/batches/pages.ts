import { type Fields, oneOf, takeInteger, takeText } from '../fields.ts';

const defaultLimit = 20;
const maxLimit = 100;

export function readPage(query: Fields): { limit: number; after: string | undefined; order: 'asc' | 'desc' } {
  const fields = { ...query };
  return {
    limit: takeInteger(fields, 'limit', { min: 1, max: maxLimit }) ?? defaultLimit,
    after: takeText(fields, 'after', 100),
    order: oneOf(fields, 'order', ['asc', 'desc']) ?? 'desc',
  };
}

/** `read` has one item more than the page if another page follows. */
export function presentPage<One extends { id: string }>(read: readonly One[], limit: number) {
  const data = read.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: read.length > limit,
  };
}
