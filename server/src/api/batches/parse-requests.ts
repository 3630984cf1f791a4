import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import type { FastifyRequest } from 'fastify';
import { maxRequests } from '../../admission/create-batch.ts';
import { AppError, invalidField } from '../../errors.ts';
import { assertSmall, maxValues, parseJson, parseText } from '../../http/json-body.ts';
import { groupDigits } from '../../std/group-digits.ts';

const lines = 'application/jsonl';
const types = ['application/json', lines, 'application/x-ndjson'];

/** Fields and entries of all requests together: twice what the largest sensible ones have. */
const maxValuesOfAll = maxRequests * 50;

/** @throws AppError `unsupported_media_type` */
export function assertRequestsType({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (types.includes(essenceOf(headers)) && (encoding === undefined || encoding === 'identity')) return;
  throw new AppError(
    'unsupported_media_type',
    `Send the requests as "Content-Type: application/json", or one on each line as "${lines}", in UTF-8 and without compression.`,
  );
}

/** A body of JSON, or of JSON Lines, which is then like one of JSON. @throws AppError `invalid_request` */
export function parseRequests(body: Buffer, { headers }: FastifyRequest): unknown {
  if (essenceOf(headers) === 'application/json') return parseJson(body, maxValuesOfAll);
  if (!isUtf8(body)) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
  const texts = body.toString('utf8').split('\n');
  const requests: unknown[] = [];
  for (const text of texts) {
    if (text.trim() === '') continue;
    if (requests.length >= maxRequests)
      throw invalidField('/requests', `must have at most ${groupDigits(maxRequests)} entries.`);
    requests.push(parseLine(text));
  }
  return { requests };
}

/** In the place of a line that cannot be read: what is wrong with all others is told beside it. */
export const unreadableLine = Symbol('a line that is not JSON');

function parseLine(text: string): unknown {
  try {
    const value = parseText(text);
    assertSmall(value, maxValues);
    return value;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return unreadableLine;
  }
}

function essenceOf({ 'content-type': type = '' }: FastifyRequest['headers']): string {
  try {
    const { essence, params } = new MIMEType(type);
    return /^utf-?8$/i.test(params.get('charset') ?? 'utf-8') ? essence : '';
  } catch {
    return '';
  }
}
