import type { Server, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { type Meter, secondBounds } from '../metrics/meter.ts';
import { isUuid } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { contextOf, parseTraceparent } from '../tracing/trace-context.ts';
import { preciseNow, type Tracing } from '../tracing/tracing.ts';
import { hasLeft } from './client-gone.ts';
import { socketOf } from './connections/socket-of.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request has created a job, or has found the job of the request that it repeats. */
    jobId?: string;
  }
}

// The usual status in logs for a client that disconnected before its answer. It is never sent.
const clientLeftStatus = 499;

// How long a drain waits for the first request on a new connection. A proxy sends it immediately.
const silencePatienceMs = 1_000;
// The longest wait for a quiet turn of the event loop, because a busy server may have none.
const acceptPatienceMs = 3_000;

// A turn this short did no work, so hardly any connection can have arrived unnoticed since it began.
const quietTurnMs = 0.1;

export interface Requests {
  /** Aborts when the server begins to drain, for requests that only wait. */
  closing: AbortSignal;
  /** Still accepts requests, but closes each connection after its next answer, so that clients connect elsewhere. */
  retire(): void;
  isRetired(): boolean;
  /**
   * Stops listening, waits at most `patienceMs` for running requests, then closes every connection. Refuses new
   * requests with `shutting_down`, except the first on a connection opened just before.
   */
  drain(patienceMs: number): Promise<void>;
}

/** Follows requests until they are answered or the client disconnects. Logs each, and reports when all have ended. */
export function trackRequests(
  server: FastifyInstance,
  { log, tracing, meter }: { log: Log; tracing: Tracing; meter: Meter },
): Requests {
  const closing = new AbortController();
  const count = createRequestCount(meter);
  const silent = new Set<Socket>();
  let isRetired = false;
  let underWay = 0;
  let onChange: () => void = () => {};

  server.server.on('connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => {
      silent.delete(socket);
      onChange();
    });
  });
  server.addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    underWay += 1;
    // `onResponse` does not run if a client disconnects before its answer.
    reply.raw.on('close', () => {
      underWay -= 1;
      onChange();
      count(request, reply, began);
      logRequest(log, request, reply, began);
      if (tracing.share !== null && request.jobId !== undefined) traceCreate(tracing, request, reply, began);
    });
    const socket = socketOf(request.raw);
    const isFirst = socket !== undefined && silent.delete(socket);
    if (!isRetired) return done();
    reply.raw.shouldKeepAlive = false;
    if (isFirst || !closing.signal.aborted) return done();
    done(new AppError('shutting_down', stopping));
  });

  async function drain(patienceMs: number): Promise<void> {
    const wasAnnounced = isRetired;
    isRetired = true;
    closing.abort(new Error('the server is shutting down'));
    if (wasAnnounced) {
      await untilNoneWaits(server.server);
      // Closes immediately, because Fastify would close some turns of the event loop later.
      server.server.close();
    }
    const closed = server.close();
    if (wasAnnounced) await until(() => silent.size === 0, silencePatienceMs);
    await until(() => underWay === 0, patienceMs);
    server.server.closeAllConnections();
    await closed;
  }

  function until(isMet: () => boolean, patienceMs: number): Promise<void> {
    return new Promise((resolve) => {
      onChange = () => isMet() && resolve();
      onChange();
      setTimeout(resolve, patienceMs).unref();
    });
  }

  return {
    closing: closing.signal,
    retire() {
      isRetired = true;
    },
    isRetired: () => isRetired,
    drain,
  };
}

/** Waits until Node has picked up every connection that the system accepted, because closing would reset the others. */
async function untilNoneWaits(server: Server): Promise<void> {
  let isQuiet = false;
  const onConnection = () => {
    isQuiet = false;
  };
  server.on('connection', onConnection);
  await nextTurn();
  // Between two turns of this loop, the event loop asks exactly once for new connections.
  for (let began = performance.now(), giveUpAt = began + acceptPatienceMs; !isQuiet && began < giveUpAt; ) {
    isQuiet = true;
    await nextTurn();
    const now = performance.now();
    isQuiet &&= now - began < quietTurnMs;
    began = now;
  }
  server.off('connection', onConnection);
}

const stopping = 'This process is about to stop. Send the request again.';

/** Counts requests by call, so that the number of series is bounded. All unknown paths share one series. */
function createRequestCount(meter: Meter) {
  const requests = meter.counter('darkroom_http_requests_total', 'Requests, by call and status.', [
    'method',
    'call',
    'status',
  ]);
  const seconds = meter.histogram(
    'darkroom_http_request_seconds',
    'Time from the first line of a request to the end of its answer, including long polls and streams.',
    ['method', 'call'],
    secondBounds,
  );
  return ({ method, routeOptions }: FastifyRequest, reply: FastifyReply, began: number) => {
    const call = routeOptions.url ?? 'none';
    requests.add([method, call, `${statusOf(reply)}`]);
    seconds.observe((performance.now() - began) / 1000, [method, call]);
  };
}

function statusOf(reply: FastifyReply): number {
  return hasLeft(reply) ? clientLeftStatus : reply.statusCode;
}

function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply, began: number): void {
  const status = statusOf(reply);
  // Most requests are successful reads, which are of little interest.
  const level = status < 400 && isRead(request) ? 'debug' : 'info';
  if (!log.enabled(level)) return;
  log[level]('request.finished', {
    request_id: request.id,
    method: request.method,
    path: pathOf(request),
    status,
    ...(request.apiKey && { account_id: request.apiKey.accountId, key_id: request.apiKey.id }),
    client: request.clientAddress,
    ...jobOf(request),
    ms: Math.round((performance.now() - began) * 10) / 10,
  });
}

/** Opens a job's topmost span. Reads are not traced, because they are many and of little interest. */
function traceCreate(tracing: Tracing, request: FastifyRequest, reply: FastifyReply, began: number): void {
  const context = contextOf(request.id);
  if (!context) return;
  const parent = parseTraceparent(String(request.headers.traceparent));
  const endMs = preciseNow();
  const { statusCode } = reply;
  const path = pathOf(request) ?? '';
  tracing.record({
    context,
    parentId: typeof parent === 'object' ? parent.spanId : undefined,
    name: `${request.method} ${path}`,
    kind: 'server',
    startMs: endMs - (performance.now() - began),
    endMs,
    fields: {
      'http.request.method': request.method,
      'http.route': path,
      'http.response.status_code': statusCode,
      'darkroom.job_id': request.jobId ?? null,
      'darkroom.account_id': request.apiKey?.accountId ?? null,
    },
    failure: statusCode >= 500 ? String(statusCode) : undefined,
  });
}

/** Returns the path with names of parameters instead of values, except for the model, which has few values. */
function pathOf({ routeOptions, params, raw }: FastifyRequest): string | undefined {
  const { model = '' } = (params ?? {}) as { model?: string }; // as the calls that have it declare it
  const path = routeOptions.url?.replace(':model', model) ?? raw.url?.split('?')[0];
  return path?.slice(0, 200);
}

function jobOf({ jobId, params }: FastifyRequest): { job_id?: string } {
  if (jobId !== undefined) return { job_id: jobId };
  const named = (params as { job_id?: string } | undefined)?.job_id; // as the calls that have it declare it
  return named !== undefined && isUuid(named) ? { job_id: named } : {};
}

export function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}
