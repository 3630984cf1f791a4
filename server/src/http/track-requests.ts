import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { isUuid } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { hasLeft } from './client-gone.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request has created a job, or found the one that it repeats. */
    jobId?: string;
  }
}

// What web servers commonly log for a client that left before its answer; nobody is ever sent it.
const clientLeftStatus = 499;

export interface Requests {
  /** Aborts when the server begins to drain, for requests that only wait. */
  closing: AbortSignal;
  /**
   * Stops listening, lets requests under way finish for at most `patienceMs`, then closes every connection. What still
   * arrives on a live one is refused with `shutting_down`. Waiting for connections instead would take as long as clients
   * keep idle ones open.
   */
  drain(patienceMs: number): Promise<void>;
}

/** Follows requests until they are answered or their client leaves: logs a line for each, and knows when all have ended. */
export function trackRequests(server: FastifyInstance, log: Log): Requests {
  const closing = new AbortController();
  let underWay = 0;
  let onIdle: () => void = () => {};

  server.addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    underWay += 1;
    // Not `onResponse`: that never comes for a client that leaves before its answer.
    reply.raw.on('close', () => {
      underWay -= 1;
      if (underWay === 0) onIdle();
      logRequest(log, request, reply, began);
    });
    if (!closing.signal.aborted) return done();
    reply.header('connection', 'close');
    done(new AppError('shutting_down', stopping));
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

function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply, began: number): void {
  const status = hasLeft(reply) ? clientLeftStatus : reply.statusCode;
  // Reads that succeed are the bulk of all requests and tell nothing; they are logged at debug.
  const quiet = status < 400 && isRead(request);
  if (quiet && !log.enabled('debug')) return;
  log[quiet ? 'debug' : 'info']('request.finished', {
    request_id: request.id,
    method: request.method,
    path: request.routeOptions.url ?? request.raw.url?.split('?')[0]?.slice(0, 200),
    status,
    ...(request.apiKey && { account_id: request.apiKey.accountId, key_id: request.apiKey.id }),
    client: request.clientAddress,
    ...jobOf(request),
    ms: Math.round((performance.now() - began) * 10) / 10,
  });
}

/** The job that was made, or that the path names. */
function jobOf({ jobId, params }: FastifyRequest): { job_id?: string } {
  if (jobId !== undefined) return { job_id: jobId };
  const named = (params as { job_id?: string } | undefined)?.job_id; // as the routes that have it declare it
  return named !== undefined && isUuid(named) ? { job_id: named } : {};
}

export function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}
