import { parentPort } from 'node:worker_threads';
import { draw } from './draw.ts';
import type { DrawingOrder, DrawingReply } from './drawing-messages.ts';
import { type Drawing, UnreadableInput } from './request.ts';

const underWay = new Map<number, AbortController>();

parentPort?.on('message', (order: DrawingOrder) => {
  if ('stop' in order) underWay.get(order.id)?.abort();
  else void begin(order.id, order.begin);
});

async function begin(id: number, drawing: Drawing): Promise<void> {
  const stop = new AbortController();
  underWay.set(id, stop);
  try {
    const bytes = await draw(drawing, stop.signal);
    reply({ id, bytes }, bytes.buffer);
  } catch (error) {
    reply({ id, error, isUnreadableInput: error instanceof UnreadableInput });
  } finally {
    underWay.delete(id);
  }
}

/** The image is transferred, not copied. */
function reply(message: DrawingReply, picture?: ArrayBufferLike): void {
  parentPort?.postMessage(message, picture instanceof ArrayBuffer ? [picture] : []);
}
