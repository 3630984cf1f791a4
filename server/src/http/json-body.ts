import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { notJson } from './send-problem.ts';

export const maxBodyBytes = 256 * 1024;

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;

/** Bodies are JSON in UTF-8 and nothing else; one parser, whose failures are 415 and 422. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (request, body, done) => {
    try {
      assertJson(request);
      done(null, parse(body as Buffer)); // parseAs: 'buffer'
    } catch (error) {
      done(error as Error);
    }
  });
}

/** @throws AppError `unsupported_media_type`; for routes with a body, before it is read */
export function assertJson({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'];
  if (!jsonType.test(headers['content-type'] ?? '') || (encoding !== undefined && encoding !== 'identity')) {
    throw new AppError('unsupported_media_type', notJson);
  }
}

function parse(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalid('The body is not valid UTF-8.');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw invalid(
      body.length === 0 ? 'The body is empty; it must be a JSON object.' : 'The body is not valid JSON.',
    );
  }
}

function invalid(detail: string): AppError {
  return new AppError('invalid_request', detail, { errors: [{ pointer: '', detail }] });
}
