import type { FastifyRequest, RequestPayload } from 'fastify';
import { AppError } from '../../errors.ts';
import { Overloaded } from '../../std/overloaded.ts';
import { assertJson, maxEscapedBytes, parseJson } from '../json-body.ts';
import { letArriveSteadily } from '../slow-clients/end-slow-senders.ts';

/** 40 MB of images take a third more as base64; the rest is for prompts and names. */
export const maxImageBodyBytes = 58 * 1024 * 1024;
/**
 * Of large bodies in a process: two of the largest, or dozens of ordinary ones. Each is held twice for a moment,
 * as it arrived and as a whole, and once until its images are taken.
 */
const maxBytesUnderWay = 2 * maxImageBodyBytes;

/** The memory for large bodies of a process. */
export interface BodyBudget {
  /** Reads a body of at most `maxBytes`, of JSON unless `assertType` lets others in. @throws AppError, Overloaded */
  read(
    request: FastifyRequest,
    payload: RequestPayload,
    maxBytes: number,
    parse?: (body: Buffer) => unknown,
    assertType?: (request: FastifyRequest) => void,
  ): Promise<unknown>;
  /** The body is not needed any more. */
  release(request: FastifyRequest): void;
}

export function createBodyBudget(limit = maxBytesUnderWay): BodyBudget {
  const held = new WeakMap<FastifyRequest, number>();
  let underWay = 0;

  function release(request: FastifyRequest): void {
    underWay -= held.get(request) ?? 0;
    held.delete(request);
  }

  /** Bodies of the size that every call reads do not count. */
  function hold(request: FastifyRequest, bytes: number): void {
    if (bytes <= maxEscapedBytes) return;
    underWay += bytes - (held.get(request) ?? 0);
    held.set(request, bytes);
    if (underWay > limit)
      throw new Overloaded('Too many large requests arrive at once. Send it again shortly.');
  }

  async function read(request: FastifyRequest, payload: RequestPayload, maxBytes: number): Promise<Buffer> {
    if (Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
    using _patience = maxBytes > maxEscapedBytes ? letArriveSteadily(request.raw) : undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    // Without destroying it: that would end the connection, and with it the answer that says what is wrong.
    for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      hold(request, bytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, bytes);
  }

  return {
    release,
    async read(request, payload, maxBytes, parse = parseJson, assertType = assertJson) {
      try {
        assertType(request);
        return parse(await read(request, payload, maxBytes));
      } catch (error) {
        release(request);
        // Nobody reads the rest, and a client that is still sending would not see the answer.
        payload.resume();
        throw error;
      }
    },
  };
}

function tooLarge(maxBytes: number): AppError {
  const megabytes = Math.floor(maxBytes / 1024 / 1024);
  const limit = megabytes > 1 ? `${megabytes} MB` : `${maxBytes / 1024} KB`;
  return new AppError('body_too_large', `The body is larger than the ${limit} that this call takes.`);
}
