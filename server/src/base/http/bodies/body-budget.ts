import type { FastifyRequest, RequestPayload } from 'fastify';
import { breathe } from '../../std/lateness/turns.ts';
import { Overloaded } from '../../std/overloaded.ts';
import { assertJson, bodyTooLarge, maxEscapedBytes } from '../json-body.ts';
import { letArriveSteadily } from '../slow-clients/end-slow-senders.ts';
import { type Holder, holderOf } from './holder.ts';

/** The size limit of a body with images: 40 MB of images as base64, with prompts and names. */
export const maxImageBodyBytes = 58 * 1024 * 1024;
/** A process's budget for large bodies, enough for two of the largest. Each body is in memory once. */
const maxBytesUnderWay = 2 * maxImageBodyBytes;
/** One account may use the budget divided by this: enough for the largest body, with room left for other accounts. */
const accountShare = 2;

/** The size of a piece of a body. Scanning a piece takes a few milliseconds, even with a thousand empty requests. */
const pieceBytes = 4 * 1024;

export interface BodyReader {
  /** @throws AppError as soon as the body is too large */
  take(chunk: Buffer): void;
  /** @throws AppError */
  end(): unknown;
}

export interface LargeBodyOptions {
  maxBytes: number;
  reader(): BodyReader;
  /** Defaults to `assertJson`. */
  assertType?(request: FastifyRequest): void;
}

export interface BodyBudget {
  /** Reads a body as it arrives. Cuts off a slow sender when others need the memory. @throws AppError, Overloaded */
  read(request: FastifyRequest, payload: RequestPayload, options: LargeBodyOptions): Promise<unknown>;
  release(request: FastifyRequest): void;
}

export function createBodyBudget(limit = maxBytesUnderWay): BodyBudget {
  const held = new Map<FastifyRequest, Holder>();

  function release(request: FastifyRequest): void {
    held.delete(request);
  }

  /** Ignores bodies up to `maxEscapedBytes`, which calls with a prompt accept anyway. */
  function hold(request: FastifyRequest, holder: Holder, bytes: number): void {
    holder.arrived(bytes);
    if (bytes <= maxEscapedBytes) return;
    held.set(request, holder);
    makeRoom(holder, limit / accountShare, ({ accountId }) => accountId === holder.accountId);
    makeRoom(holder, limit, () => true);
  }

  /** Ends the slowest of the bodies that share a limit, until the others fit. */
  function makeRoom(wanting: Holder, most: number, shares: (holder: Holder) => boolean): void {
    let bytes = 0;
    for (const holder of held.values()) if (shares(holder)) bytes += holder.bytes;
    if (bytes <= most) return;
    const slow = [...held].filter(([, holder]) => shares(holder) && holder !== wanting && holder.isSlow());
    for (const [request, holder] of slow.sort(([, one], [, other]) => one.pace() - other.pace())) {
      if (bytes <= most) return;
      bytes -= holder.bytes;
      held.delete(request);
      holder.giveWay(tooSlow());
    }
    if (bytes > most) throw tooMany();
  }

  async function read(
    request: FastifyRequest,
    payload: RequestPayload,
    { maxBytes, reader: createReader }: LargeBodyOptions,
  ): Promise<unknown> {
    if (Number(request.headers['content-length']) > maxBytes) throw bodyTooLarge(maxBytes);
    using _patience = maxBytes > maxEscapedBytes ? letArriveSteadily(request.raw) : undefined;
    // A request to an unknown path has no account. Its body is read, then the request is refused.
    const holder = holderOf(request.is404 ? '' : request.apiKey.accountId);
    const reader = createReader();
    let bytes = 0;
    for await (const chunk of holder.unlessGivenWay(payload)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw bodyTooLarge(maxBytes);
      hold(request, holder, bytes);
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        reader.take(chunk.subarray(at, at + pieceBytes));
        await breathe();
      }
    }
    holder.end();
    return reader.end();
  }

  return {
    release,
    async read(request, payload, options) {
      try {
        (options.assertType ?? assertJson)(request);
        return await read(request, payload, options);
      } catch (error) {
        release(request);
        // Discards the rest of the body, because a client that is still sending would not see the answer.
        payload.resume();
        throw error;
      }
    },
  };
}

function tooMany(): Overloaded {
  return new Overloaded('Too many large requests are arriving at once. Send yours again shortly.');
}

function tooSlow(): Overloaded {
  return new Overloaded(
    'Too many large requests are arriving at once, and this one is slow. Send it again shortly.',
  );
}
