import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

// A supervisor has another process listening, or this one again, in about this time.
const retryAfterSeconds = 1;

export interface Requests {
  /** Aborts when the server begins to drain, for requests that only wait. */
  closing: AbortSignal;
  drain(patienceMs: number): Promise<void>;
}

/**
 * `drain` stops listening, lets requests under way finish for at most `patienceMs`, then closes
 * every connection. What still arrives on a live one is refused with `shutting_down`. Waiting for connections instead would take as long as clients keep idle ones open.
 */
export function trackRequests(server: FastifyInstance): Requests {
  const closing = new AbortController();
  let underWay = 0;
  let onIdle: () => void = () => {};
  const end = () => {
    underWay -= 1;
    if (underWay === 0) onIdle();
  };
  server.addHook('onRequest', (_request, reply, done) => {
    underWay += 1;
    // Not `onResponse`: that never comes for a client that leaves before its answer.
    reply.raw.once('close', end);
    if (!closing.signal.aborted) return done();
    reply.header('connection', 'close');
    done(new AppError('shutting_down', stopping, { retryAfterSeconds }));
  });

  async function drain(patienceMs: number): Promise<void> {
    closing.abort(new Error('the server is shutting down'));
    const closed = server.close();
    const idle = new Promise<void>((resolve) => {
      onIdle = resolve;
      setTimeout(resolve, patienceMs).unref();
    });
    if (underWay > 0) await idle;
    server.server.closeAllConnections();
    await closed;
  }

  return { closing: closing.signal, drain };
}

const stopping = 'This process is about to stop. Send the request again.';
