import { arrayBuffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { DrawingOrder, DrawingReply } from './drawing-messages.ts';
import { type Drawing, type DrawingInput, type SketchRequest, UnreadableInput } from './request.ts';

/** Kept after the first drawing, because sharp is 20 MB of native code that must not be unloaded while it works. */
let thread: DrawingThread | undefined;

/**
 * Draws a PNG of exactly this size in another thread, because drawing takes milliseconds of processor time. Equal
 * requests give equal bytes.
 * @throws UnreadableInput
 */
export async function drawSketch(request: SketchRequest, signal: AbortSignal): Promise<Uint8Array> {
  const { prompt, seed, width, height, transparent } = request;
  const inputs: DrawingInput[] = [];
  for (const input of request.inputs) {
    const bytes = await arrayBuffer(await input.read());
    inputs.push({ width: input.width, height: input.height, bytes });
  }
  signal.throwIfAborted();
  thread ??= startThread(() => {
    thread = undefined;
  });
  return thread.draw({ prompt, seed, width, height, transparent, inputs }, signal);
}

interface DrawingThread {
  draw(drawing: Drawing, signal: AbortSignal): Promise<Uint8Array>;
}

function startThread(onGone: () => void): DrawingThread {
  const waiting = new Map<number, PromiseWithResolvers<Uint8Array>>();
  // The `execArgv` of this process is meant for its main program only.
  const worker = new Worker(new URL('./drawing-thread.ts', import.meta.url), { execArgv: [] });
  const send = (order: DrawingOrder, transfer: readonly ArrayBuffer[] = []) =>
    worker.postMessage(order, [...transfer]);
  let lastId = 0;

  let failure: unknown;
  worker
    .on('message', (reply: DrawingReply) => {
      const drawing = waiting.get(reply.id);
      if ('bytes' in reply) drawing?.resolve(reply.bytes);
      else drawing?.reject(errorOf(reply));
    })
    .on('error', (error) => {
      failure = error; // it exits next
    })
    .on('exit', () => {
      onGone();
      const error = new Error('The thread that draws has ended.', { cause: failure });
      for (const { reject } of waiting.values()) reject(error);
    });

  return {
    async draw(drawing, signal) {
      const id = ++lastId;
      const done = Promise.withResolvers<Uint8Array>();
      waiting.set(id, done);
      worker.ref(); // the process does not exit while it waits for an image
      const stop = () => send({ id, stop: true });
      signal.addEventListener('abort', stop, { once: true });
      try {
        send(
          { id, begin: drawing },
          drawing.inputs.map(({ bytes }) => bytes),
        );
        return await done.promise;
      } finally {
        signal.removeEventListener('abort', stop);
        waiting.delete(id);
        if (waiting.size === 0) worker.unref();
      }
    },
  };
}

function errorOf({ error, isUnreadableInput }: Extract<DrawingReply, { error: unknown }>): unknown {
  if (!isUnreadableInput || !(error instanceof Error)) return error;
  return new UnreadableInput(error.message, { cause: error.cause });
}
