import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Containment } from '../connections/containment.ts';
import { socketOf } from '../connections/socket-of.ts';

const lookEveryMs = 1_000;
// The time limit for a whole body. Bodies are checked every second, so the limit is a second shorter than promised.
const bodyMs = 30_000 - lookEveryMs;
// The least of a file that must arrive within `withinMs`: 8.5 KB per second, the speed of a phone with a weak signal.
const leastBytes = 262_144;
const withinMs = 30_000;
/**
 * The time limit for one body with a file. The largest file needs 46 KB per second. Longer uploads would occupy a
 * download slot and disk space.
 */
export const longestBodyMs = 15 * 60_000;

interface Arrival {
  since: number;
  /** Set while a body may take longer: the bytes and time when it last met the minimum speed, and the deadline. */
  steady?: { bytes: number; at: number; until: number };
}

const arriving = new WeakMap<IncomingMessage, Arrival>();

/** Ends requests whose body takes too long. Node's single limit would have to fit the slowest call. */
export function endSlowSenders(fastify: FastifyInstance, contain: Containment['contain']): void {
  const { server } = fastify;
  const open = new Set<ServerResponse>();
  let watch: NodeJS.Timeout | undefined;
  let fresh: ServerResponse[] = [];
  const follow = (request: IncomingMessage, answer: ServerResponse) => {
    if (!hasBody(request)) return;
    // Skips bodies that arrive with their headers, as nearly all do. Watching them would take 2 % of a create's time.
    if (fresh.length === 0) setImmediate(followRest);
    fresh.push(answer);
  };
  function followRest(): void {
    const now = performance.now();
    for (const answer of fresh) {
      if (answer.req.complete) continue;
      if (!arriving.has(answer.req)) arriving.set(answer.req, { since: now });
      open.add(answer);
      watch ??= setInterval(lookAtAll, lookEveryMs).unref();
    }
    fresh = [];
  }
  function lookAtAll(): void {
    for (const answer of open)
      contain(
        'slow sender',
        () => look(answer),
        () => socketOf(answer.req),
      );
    if (open.size > 0) return;
    clearInterval(watch);
    watch = undefined;
  }
  // This listener runs before the others, because one of them may run the handler.
  server.prependListener('request', follow).prependListener('checkContinue', follow);
  fastify.addHook('onClose', async () => clearInterval(watch));

  function look(answer: ServerResponse): void {
    const { req: request } = answer;
    const arrival = arriving.get(request);
    const socket = socketOf(request);
    if (!arrival || request.complete || !socket || socket.destroyed) return void open.delete(answer);
    if (!isLate(arrival, socket.bytesRead)) return;
    open.delete(answer);
    // The client has an answer, and would take a second one for the answer to its next request.
    if (answer.headersSent) return void socket.destroy();
    const error = Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, socket);
  }
}

/** Until disposed, lets a body take longer while it arrives steadily. */
export function letArriveSteadily(request: IncomingMessage): Disposable {
  const at = performance.now();
  const { since } = arriving.get(request) ?? { since: at };
  arriving.set(request, {
    since,
    steady: { bytes: socketOf(request)?.bytesRead ?? 0, at, until: at + longestBodyMs },
  });
  return {
    [Symbol.dispose]() {
      // The handler has stopped reading, so the ordinary limit starts again for the rest of the body.
      if (arriving.has(request)) arriving.set(request, { since: performance.now() });
    },
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

function isLate({ since, steady }: Arrival, bytes: number): boolean {
  const now = performance.now();
  if (!steady) return now - since >= bodyMs;
  if (now >= steady.until) return true;
  if (bytes - steady.bytes >= leastBytes) Object.assign(steady, { bytes, at: now });
  return now - steady.at >= withinMs;
}
