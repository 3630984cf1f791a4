import { randomUUID } from 'node:crypto';
import { MIMEType } from 'node:util';
import type { FastifyRequest } from 'fastify';
import type { BodyReader } from '../../../../base/http/bodies/body-budget.ts';
import { createPart, mapLists, notJson, type Part } from '../../../../base/http/bodies/json-part.ts';
import { JsonScanner } from '../../../../base/http/bodies/json-scanner.ts';
import { maxEscapedBytes, maxValues } from '../../../../base/http/json-body.ts';
import { groupDigits } from '../../../../base/std/group-digits.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import { maxRequests } from '../../../../jobs/admission/create-batch.ts';

const lines = 'application/jsonl';
const types = ['application/json', lines, 'application/x-ndjson'];

export function assertRequestsType({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (types.includes(essenceOf(headers)) && (encoding === undefined || encoding === 'identity')) return;
  throw new AppError(
    'unsupported_media_type',
    `Send the requests as "Content-Type: application/json", or one on each line as "${lines}", in UTF-8 and without compression.`,
  );
}

export function requestsReader({ headers }: FastifyRequest): BodyReader {
  return essenceOf(headers) === 'application/json' ? readObject() : readLines();
}

/** Stands for a line that cannot be read, so that other lines' mistakes are reported too. */
export const unreadableLine = Symbol('a line that is not JSON');
export const tooLargeRequest = Symbol('a request that is too large');

/** Cuts the requests out of the body as they arrive. What remains is small. */
function readObject(): BodyReader {
  const mark = `${randomUUID()} `;
  const requests: unknown[] = [];
  const outer = createPart(maxRequests + maxValues, maxEscapedBytes + maxRequests * bytesBetween);
  let inner: Part | undefined;
  let chunk: Buffer = Buffer.alloc(0);
  let from = 0;
  const scanner = new JsonScanner({
    opened(at, depth) {
      if (depth !== depthOfRequests) return;
      outer.add(chunk.subarray(from, at));
      from = at;
      if (requests.length >= maxRequests) throw tooManyRequests();
      inner = createPart(maxValues, maxEscapedBytes);
    },
    closed(at, depth) {
      if (depth !== depthOfRequests || !inner) return;
      inner.add(chunk.subarray(from, at));
      from = at;
      outer.add(Buffer.from(`"${mark}${requests.length}"`));
      requests.push(inner.isTooLarge ? tooLargeRequest : inner.parse());
      inner = undefined;
    },
  });
  return {
    take(arrived) {
      chunk = arrived;
      from = 0;
      scanner.feed(arrived);
      (inner ?? outer).add(arrived.subarray(from));
      if (outer.isTooLarge) throw tooManyRequests();
    },
    end() {
      if (inner) throw notJson();
      const value = outer.parse();
      return mapLists(value, (one) =>
        typeof one === 'string' && one.startsWith(mark) ? requests[Number(one.slice(mark.length))] : one,
      );
    },
  };
}

/** The depth of a request in `{"requests": [{…}]}`: in a list in an object. */
const depthOfRequests = 2;
/** The bytes that remain of a request: its mark, the comma, and the line break and indentation before it. */
const bytesBetween = 100;

function readLines(): BodyReader {
  const requests: unknown[] = [];
  let line = createPart(maxValues, maxEscapedBytes);
  const end = () => {
    const { isBlank } = line;
    if (!isBlank && requests.length >= maxRequests) throw tooManyRequests();
    if (!isBlank) requests.push(line.isTooLarge ? unreadableLine : line.parseOr(unreadableLine));
    line = createPart(maxValues, maxEscapedBytes);
  };
  return {
    take(arrived) {
      let from = 0;
      for (let at = arrived.indexOf(newline); at >= 0; at = arrived.indexOf(newline, from)) {
        line.add(arrived.subarray(from, at));
        end();
        from = at + 1;
      }
      line.add(arrived.subarray(from));
    },
    end() {
      end();
      return { requests };
    },
  };
}

const newline = 0x0a;

function tooManyRequests(): AppError {
  return invalidField('/requests', `must have at most ${groupDigits(maxRequests)} entries.`);
}

function essenceOf({ 'content-type': type = '' }: FastifyRequest['headers']): string {
  try {
    const { essence, params } = new MIMEType(type);
    return /^utf-?8$/i.test(params.get('charset') ?? 'utf-8') ? essence : '';
  } catch {
    return '';
  }
}
