import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { readCursor, wrongCursor } from './cursor.ts';

/** Seals cursors, which contain database numbers, and binds each to its list. Handlers see only positions. */
export interface ListCursors {
  seal(position: string, list: string): string;
  open(cursor: string, list: string): { position: string } | { refused: 'no_cursor' | 'other_list' };
}

// The IV is synthetic (RFC 5297): a keyed hash of the text, which authenticates it. Equal pages get equal cursors.
const cipher = 'aes-256-ctr';
const ivBytes = 16;
/** The length of a list's id in bytes, enough that no two lists of a client collide. */
const listBytes = 8;

export function createListCursors(key: string): ListCursors {
  const keyFor = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, '', `darkroom cursors ${purpose}`, 32));
  const proofKey = keyFor('proof');
  const sealKey = keyFor('seal');
  const ivOf = (content: Buffer) =>
    createHmac('sha256', proofKey).update(content).digest().subarray(0, ivBytes);
  return {
    seal(position, list) {
      const content = Buffer.concat([idOf(list), Buffer.from(position, 'base64url')]);
      const iv = ivOf(content);
      return Buffer.concat([iv, createCipheriv(cipher, sealKey, iv).update(content)]).toString('base64url');
    },
    open(cursor, list) {
      const sealed = Buffer.from(cursor, 'base64url');
      if (sealed.length <= ivBytes + listBytes) return { refused: 'no_cursor' };
      const iv = sealed.subarray(0, ivBytes);
      const content = createDecipheriv(cipher, sealKey, iv).update(sealed.subarray(ivBytes));
      if (!timingSafeEqual(ivOf(content), iv)) return { refused: 'no_cursor' };
      if (!content.subarray(0, listBytes).equals(idOf(list))) return { refused: 'other_list' };
      return { position: content.subarray(listBytes).toString('base64url') };
    },
  };
}

function idOf(list: string): Buffer {
  return hash('sha256', list, 'buffer').subarray(0, listBytes);
}

interface AskedList {
  /** The account whose list is read, unless the path names the account. */
  accountId?: string;
  /** Whether the call also accepts this text, which is not a cursor. */
  honours?: ((text: string) => boolean) | undefined;
  /** Former names of filters, each with its present name, so that cursors issued under a former name still work. */
  formerNames?: Readonly<Record<string, string>> | undefined;
}

/** Opens the cursor of a query, and returns the function that seals the next. @throws AppError `invalid_request` */
export function openList(
  cursors: ListCursors,
  request: Pick<FastifyRequest, 'method' | 'routeOptions' | 'params' | 'query'>,
  { accountId, honours, formerNames = {} }: AskedList,
): (answer: unknown) => unknown {
  const query = request.query as Record<string, unknown>; // the schema has validated it
  const { cursor, limit: _, ...filters } = query;
  const { method, routeOptions, params } = request;
  const listOf = (named: object) =>
    JSON.stringify([method, routeOptions.url, accountId, sorted(params as object), sorted(named)]);
  const list = listOf(filters);
  if (typeof cursor === 'string') {
    let opened = cursors.open(cursor, list);
    if ('refused' in opened) opened = cursors.open(cursor, listOf(formerly(filters, formerNames)));
    if ('position' in opened) query.cursor = opened.position;
    else if (opened.refused === 'other_list') throw wrongCursor(opened.refused);
    // Earlier versions issued unsealed positions. Ids among them still work, because they tell the client nothing new.
    else if (!honours?.(cursor)) readCursor(cursor, ['id']);
  }
  return (answer) => sealNext(answer, (position) => cursors.seal(position, list));
}

function formerly(filters: Record<string, unknown>, formerNames: Readonly<Record<string, string>>): object {
  const former = new Map(Object.entries(formerNames).map(([name, today]) => [today, name]));
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [former.get(name) ?? name, value]),
  );
}

/** Seals the cursor of an answer. Lists have a `next_cursor`; the panel's endless job changes have a `cursor`. */
function sealNext(answer: unknown, seal: (position: string) => string): unknown {
  const { next_cursor, cursor } = answer as { next_cursor?: string | null; cursor?: string }; // the shape of lists
  return {
    ...(answer as object),
    ...(next_cursor && { next_cursor: seal(next_cursor) }),
    ...(cursor && { cursor: seal(cursor) }),
  };
}

function sorted(values: object): [string, unknown][] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
