import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { AppError } from '../../errors.ts';
import { groupDigits } from '../std/group-digits.ts';
import { JsonScanner } from './bodies/json-scanner.ts';
import { countHeaders } from './count-headers.ts';

export const maxBodyBytes = 256 * 1024;
/** The size limit, as sent, of a body with a prompt. The longest prompt takes 384 KiB if every character is escaped. */
export const maxEscapedBytes = 2 * maxBodyBytes;
/** The maximum nesting, checked first because schema checks and `JSON.stringify` recurse. Valid bodies are flat. */
export const maxDepth = 20;
/** The maximum number of fields and entries. Schema checks are slow: 256 KiB of unknown fields took 80 ms. */
export const maxValues = 500;
/** The size limit of bodies of calls that need no sign-in: an email address, a password or a token. */
export const maxAnonymousBytes = 8 * 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for calls whose bodies may have more fields and entries than the constant `maxValues`. */
    maxValues?: number;
  }
}

const byteOrderMark = '\ufeff';

/** Accepts only JSON in UTF-8. A single parser answers everything else with 415 or 422. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  // The JSON type is named, because Fastify would parse a type that matches only `*` again for every request.
  server.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer', bodyLimit: maxBodyBytes },
    (request, body, done) => {
      // Calls without a body ignore the content type, because many clients always set one.
      const { schema, config } = request.routeOptions; // a new object at each access
      if (!schema?.body) return done(null, undefined);
      if (body.length === 0 && mayBeLeftOut(schema.body)) return done(null, undefined);
      try {
        assertJson(request);
        const value = parseJson(body as Buffer, config.maxValues); // parseAs: 'buffer'
        // The schema would take the text `null` for a missing body.
        if (value === null && mayBeLeftOut(schema.body)) throw notAnObject();
        done(null, value);
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function notAnObject(): AppError {
  const detail = 'must be an object, or left out.';
  return new AppError('invalid_request', `The body ${detail}`, { errors: [{ pointer: '', detail }] });
}

/** Whether this schema allows a missing body, which Fastify reads as null. */
export function mayBeLeftOut(body: unknown): boolean {
  const { type } = body as { type?: unknown }; // of a JSON schema
  return Array.isArray(type) && type.includes('null');
}

/** Counts each escape in a long body as one byte, for calls that read up to `maxEscapedBytes`. */
export function countEscapesAsBytes({ headers }: FastifyRequest, payload: RequestPayload): void {
  if (Number(headers['content-length']) <= maxBodyBytes) return;
  let counted = 0;
  payload.on('data', (chunk: Buffer) => {
    counted += chunk.length - countEscapes(chunk) * (escapeBytes - 1);
    // Fastify compares this length with its limit at every chunk, and so refuses the body.
    if (counted > maxBodyBytes) payload.receivedEncodedLength = Number.POSITIVE_INFINITY;
  });
}

const escapeBytes = 6;

function countEscapes(chunk: Buffer): number {
  let escapes = 0;
  for (let at = chunk.indexOf('\\u'); at >= 0; at = chunk.indexOf('\\u', at + escapeBytes)) escapes += 1;
  return escapes;
}

/** Runs before the body of a call is read. @throws AppError `unsupported_media_type` */
export function assertJson({ headers, raw }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  const isJson =
    isJsonType(headers['content-type'] ?? '') &&
    countHeaders(raw, 'content-type') === 1 &&
    (encoding === undefined || encoding === 'identity');
  if (!isJson) throw new AppError('unsupported_media_type', notJson);
}

export const notJson = 'The body must be JSON: send "Content-Type: application/json" without compression.';

export function bodyTooLarge(maxBytes: number, what = 'The body'): AppError {
  return new AppError('body_too_large', `${what} may be ${groupDigits(maxBytes)} bytes at most.`);
}

/** The error if a body that Fastify reads exceeds its limit. With `maxEscapedBytes`, escapes count as one byte. */
export function readBodyTooLarge(bodyLimit = maxBodyBytes): AppError {
  if (bodyLimit !== maxEscapedBytes) return bodyTooLarge(bodyLimit);
  const counted = `${groupDigits(maxBodyBytes)} bytes at most, with an escape such as \\u00e9 as one byte`;
  return new AppError('body_too_large', `The body may be ${counted}, and ${groupDigits(bodyLimit)} as sent.`);
}

/** Whether a content type is JSON in UTF-8. Parameters other than the character set do not matter. */
function isJsonType(text: string): boolean {
  if (text === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(text);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

/** @throws AppError `invalid_request` */
export function parseJson(body: Buffer, most = maxValues): unknown {
  if (!isUtf8(body)) throw invalid('The body is not valid UTF-8.');
  if (body.length > shortBytes) createCount(most).feed(body);
  const text = body.toString('utf8');
  // Removes a byte order mark, as RFC 8259 allows, because some clients always send it.
  const value = parseText(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  assertSmall(value, most);
  return value;
}

/** Texts up to this size are parsed before their values are counted. Parsing one takes a fraction of a millisecond. */
const shortBytes = 8 * 1024;

/** Counts nesting and values first, because parsing many small values is slow. @throws AppError `invalid_request` */
export function createCount(most: number): JsonScanner {
  let commas = 0;
  return new JsonScanner({
    comma() {
      commas += 1;
      // A list or object has one more value than it has commas.
      if (commas >= most) throw tooMany(most);
    },
    opened(_at, depth) {
      if (depth >= maxDepth) throw tooDeep();
    },
  });
}

function tooMany(most: number): AppError {
  return invalid(`The body has more than ${most} fields and entries.`);
}

function tooDeep(): AppError {
  return invalid(`The body is nested deeper than ${maxDepth} levels.`);
}

/** @throws AppError `invalid_request` */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(
      text === '' ? 'The body is empty; it must be a JSON object.' : 'The body is not valid JSON.',
    );
  }
}

/** Walks the value in a loop, because a body may be nested more deeply than the stack allows. */
export function assertSmall(value: unknown, most: number): void {
  let values = 0;
  let level = [value].filter(isObject);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw tooDeep();
    const next: object[] = [];
    for (const parent of level) {
      for (const name in parent) {
        values += 1;
        if (values > most) throw tooMany(most);
        const child = (parent as Record<string, unknown>)[name]; // `name` is one of its keys
        if (isObject(child)) next.push(child);
      }
    }
    level = next;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function invalid(detail: string): AppError {
  return new AppError('invalid_request', detail, { errors: [{ pointer: '', detail }] });
}
