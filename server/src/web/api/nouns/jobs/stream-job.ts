import { finished, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientGone } from '../../../../base/http/client-gone.ts';
import type { Meter } from '../../../../base/metrics/meter.ts';
import { AppError } from '../../../../errors.ts';
import type { LinkSigner } from '../../../../images/image-links.ts';
import { followJob, getJob, type ReadJob, type WantedJob } from '../../../../jobs/get-job.ts';
import { presentLiveJob } from '../../../../jobs/present-job.ts';
import type { WaitEstimator } from '../../../../jobs/queue-view.ts';
import type { JobSignals } from '../../../../jobs/signals.ts';

export interface StreamDeps {
  readJob: ReadJob;
  signals: JobSignals;
  links: LinkSigner;
  waits: WaitEstimator;
  closing: AbortSignal;
  streams: StreamSlots;
  streamKeepAliveMs: number;
}

/** Limits the number of streams, because each occupies a connection until its job ends. */
export interface StreamSlots {
  /** Returns undefined if the account or the process has no free slot. */
  enter(accountId: string): Disposable | undefined;
}

// The maximum duration of a stream. After it, the client connects again, perhaps to another process, and its key is
// checked again.
const longestMs = 10 * 60_000;
const reconnectMs = 1_000;

/** Streams may use half of the connections, and one account's streams a quarter. */
export function createStreamSlots(maxConnections: number, meter: Meter): StreamSlots {
  const inProcess = Math.floor(maxConnections / 2);
  const ofAccount = Math.floor(maxConnections / 4);
  const byAccount = new Map<string, number>();
  let count = 0;
  meter.reading('darkroom_streams_open', 'Jobs that are followed as server-sent events.', [], () => [
    [count, []],
  ]);
  return {
    enter(accountId) {
      const own = byAccount.get(accountId) ?? 0;
      if (count >= inProcess || own >= ofAccount) return undefined;
      count += 1;
      byAccount.set(accountId, own + 1);
      return {
        [Symbol.dispose]() {
          count -= 1;
          const left = (byAccount.get(accountId) ?? 1) - 1;
          if (left === 0) byAccount.delete(accountId);
          else byAccount.set(accountId, left);
        },
      };
    },
  };
}

export function prefersStream({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  const { accept } = headers;
  return accept !== undefined && method === 'GET' && /^\s*text\/event-stream\b/i.test(accept);
}

/**
 * Sends the job immediately and after every change. Returns false if no slot is free and the client accepts JSON too.
 * Does not return the reply, because awaiting the reply would wait for the end of the stream and then answer again.
 * @throws AppError `not_found`; `overloaded` if no slot is free and the client accepts nothing else
 */
export async function streamJob(
  deps: StreamDeps,
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  wanted: WantedJob,
): Promise<boolean> {
  const { status } = await getJob(deps, wanted);
  const { accept = '', 'last-event-id': lastEventId } = request.headers;
  const seen = lastEventId?.toString();
  // For browsers' EventSource, only 204 means "do not connect again".
  if (seen === status && (status === 'done' || status === 'failed')) {
    reply.code(204).send();
    return true;
  }
  const slot = deps.streams.enter(wanted.accountId);
  if (!slot) {
    if (accept.includes('application/json')) return false;
    throw new AppError(
      'overloaded',
      'Too many jobs are being followed. Poll this one, or try again shortly.',
    );
  }
  // Frees the slot even if the client disconnected during the read.
  finished(reply.raw, () => slot[Symbol.dispose]());
  const signal = AbortSignal.any([clientGone(reply), deps.closing, AbortSignal.timeout(longestMs)]);
  reply
    .type('text/event-stream')
    .header('x-accel-buffering', 'no') // nginx would hold back the events until the end
    .send(Readable.from(eventsOf(deps, { ...wanted, seen, signal })));
  return true;
}

async function* eventsOf(deps: StreamDeps, wanted: Parameters<typeof followJob>[1]): AsyncGenerator<string> {
  yield `retry: ${reconnectMs}\n\n`;
  let saidAt = performance.now();
  try {
    for await (const job of followJob(deps, wanted)) {
      if (!job && performance.now() - saidAt < deps.streamKeepAliveMs) continue;
      saidAt = performance.now();
      yield job
        ? `event: job\nid: ${job.status}\ndata: ${JSON.stringify(await presentLiveJob(job, deps))}\n\n`
        : ': no change\n\n';
    }
  } catch {
    // The error ends the stream. The client's next request gets it as its answer.
  }
}
