import type { FastifyReply } from 'fastify';

const signals = new WeakMap<FastifyReply, AbortSignal>();

/** Aborts if the client disconnects before its answer. Watches the response, because a connection lives longer. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply);
  if (known) return known;
  const controller = new AbortController();
  signals.set(reply, controller.signal);
  const look = () => {
    if (hasLeft(reply)) controller.abort(new Error('the client has gone'));
  };
  if (reply.raw.closed) look();
  else reply.raw.once('close', look);
  return controller.signal;
}

export function hasLeft({ raw }: FastifyReply): boolean {
  return raw.closed && !raw.writableFinished;
}

/** Whether an error only means that the client disconnected: aborted work, or an incomplete body. */
export function causedByLeaving(error: unknown, reply: FastifyReply): boolean {
  if (!hasLeft(reply)) return false;
  if (error === signals.get(reply)?.reason) return true;
  return (
    error instanceof Error &&
    (error.name === 'AbortError' || ('code' in error && brokenOff.has(String(error.code))))
  );
}

const brokenOff: ReadonlySet<string> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);
