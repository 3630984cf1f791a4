import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

const lookEveryMs = 1_000;
// For a whole body. Bodies are looked at every second, so the limit is a second shorter than promised.
const bodyMs = 30_000 - lookEveryMs;
// For files: 8.5 KB a second, the pace of a phone at the edge of its network.
const leastBytes = 262_144;
const withinMs = 30_000;
/** For a file of the largest size, 46 KB a second. Each holds a slot for downloads and its part of the disk. */
export const longestBodyMs = 15 * 60_000;

interface Arrival {
  since: number;
  /** Of a body that may take longer while it arrives steadily: how much of it had arrived when, and until when it may. */
  steady?: { bytes: number; at: number; until: number };
}

const arriving = new WeakMap<IncomingMessage, Arrival>();

/**
 * Ends requests whose body takes too long. Node's own limit is one for all requests, and has to be as long as
 * the longest.
 */
export function endSlowSenders(fastify: FastifyInstance): void {
  const { server } = fastify;
  const open = new Set<IncomingMessage>();
  let fresh: IncomingMessage[] = [];
  const follow = (request: IncomingMessage) => {
    if (!hasBody(request)) return;
    // Nearly all bodies come with their headers. Holding on to those requests until the next look cost 2 % of a create.
    if (fresh.length === 0) setImmediate(followRest);
    fresh.push(request);
  };
  function followRest(): void {
    const now = performance.now();
    for (const request of fresh) {
      if (request.complete) continue;
      if (!arriving.has(request)) arriving.set(request, { since: now });
      open.add(request);
    }
    fresh = [];
  }
  // First, because the handler may already run before other listeners do.
  server.prependListener('request', follow).prependListener('checkContinue', follow);
  const watch = setInterval(() => open.forEach(look), lookEveryMs).unref();
  fastify.addHook('onClose', async () => clearInterval(watch));

  function look(request: IncomingMessage): void {
    const arrival = arriving.get(request);
    if (!arrival || request.complete || request.socket.destroyed) return void open.delete(request);
    if (!isLate(arrival, request.socket.bytesRead)) return;
    open.delete(request);
    const error = Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    server.emit('clientError', error, request.socket);
  }
}

/** Lets a body take longer as long as it arrives steadily. Disposing of it ends that. */
export function letArriveSteadily(request: IncomingMessage): Disposable {
  const at = performance.now();
  const { since } = arriving.get(request) ?? { since: at };
  arriving.set(request, {
    since,
    steady: { bytes: request.socket.bytesRead, at, until: at + longestBodyMs },
  });
  return {
    [Symbol.dispose]() {
      // What is still to come of a body that nobody reads any more.
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
