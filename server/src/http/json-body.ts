import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { AppError } from '../errors.ts';
import { countHeaders } from './count-headers.ts';
import { notJson } from './send-problem.ts';

export const maxBodyBytes = 256 * 1024;
/**
 * As it is sent. Some languages write every character outside ASCII as `\uXXXX`, two of them for an emoji: the longest
 * prompt has 384 KiB like that, and is not refused for how it is spelled. For calls that take a prompt.
 */
export const maxEscapedBytes = 2 * maxBodyBytes;
/** Our bodies are flat. The check of a schema and `JSON.stringify` recurse, so what is nested must stop before them. */
export const maxDepth = 20;
/**
 * Fields and entries, at all levels. No body of ours has a tenth of them, and each that breaks a rule costs a schema's check
 * as much as ten that keep to it: 256 KiB of unknown fields held everybody else up for 80 ms.
 */
export const maxValues = 500;
/** Of what anybody may send: e-mail, password, a token. */
export const maxAnonymousBytes = 8 * 1024;

const byteOrderMark = '\ufeff';

/** Bodies are JSON in UTF-8 and nothing else; one parser, whose failures are 415 and 422. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  // By name too: types that only `*` matches are taken apart anew for every request.
  server.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer', bodyLimit: maxBodyBytes },
    (request, body, done) => {
      // Where no body is taken nobody reads it, whatever it is: many clients name a content type all the same.
      if (!request.routeOptions.schema?.body) return done(null, undefined);
      try {
        assertJson(request);
        done(null, parse(body as Buffer)); // parseAs: 'buffer'
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

/**
 * Counts each escape of a long body as one byte, while it arrives, for routes that read up to `maxEscapedBytes`. An
 * escape that two chunks share is counted as it is written.
 */
export function countEscapesAsBytes({ headers }: FastifyRequest, payload: RequestPayload): void {
  if (Number(headers['content-length']) <= maxBodyBytes) return;
  let counted = 0;
  payload.on('data', (chunk: Buffer) => {
    counted += chunk.length - countEscapes(chunk) * (escapeBytes - 1);
    // What the framework compares with its limit, at every chunk.
    if (counted > maxBodyBytes) payload.receivedEncodedLength = Number.POSITIVE_INFINITY;
  });
}

const escapeBytes = 6;

function countEscapes(chunk: Buffer): number {
  let escapes = 0;
  for (let at = chunk.indexOf('\\u'); at >= 0; at = chunk.indexOf('\\u', at + escapeBytes)) escapes += 1;
  return escapes;
}

/** @throws AppError `unsupported_media_type`; for routes with a body, before it is read */
export function assertJson({ headers, raw }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  const isJson =
    isJsonType(headers['content-type'] ?? '') &&
    countHeaders(raw, 'content-type') === 1 &&
    (encoding === undefined || encoding === 'identity');
  if (!isJson) throw new AppError('unsupported_media_type', notJson);
}

/** Parameters do not matter, but for another character set. */
function isJsonType(text: string): boolean {
  if (text === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(text);
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

function parse(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid('The body is not valid UTF-8.');
  const text = body.toString('utf8');
  // RFC 8259 lets a reader ignore it, and some clients cannot help but send it.
  const value = parseText(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  assertSmall(value);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(
      text === '' ? 'The body is empty; it must be a JSON object.' : 'The body is not valid JSON.',
    );
  }
}

/** Level by level, not recursively: a body may nest deeper than the stack. */
function assertSmall(value: unknown): void {
  let values = 0;
  let level = [value].filter(isObject);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw invalid(`The body is nested deeper than ${maxDepth} levels.`);
    const next: object[] = [];
    for (const parent of level) {
      for (const name in parent) {
        values += 1;
        if (values > maxValues) throw invalid(`The body has more than ${maxValues} fields and entries.`);
        const child = (parent as Record<string, unknown>)[name]; // what was just listed is there
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
