import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGuard } from '../../src/base/guard/guard.ts';
import { sendWebhook } from '../../src/notify/webhooks/send-webhook.ts';
import { startRawStranger } from '../inputs/support/strangers.ts';
import { receiverNetwork, startReceiver } from './support/receiver.ts';

const guard = createGuard({ allowNetworks: [receiverNetwork] });
const never = new AbortController().signal;

async function send(url: string, signal = never) {
  await using stack = new AsyncDisposableStack();
  const dispatcher = stack.adopt(await guard.agent({ headersTimeout: 0, bodyTimeout: 0 }), (agent) =>
    agent.destroy(),
  );
  return await sendWebhook(
    { url, headers: { 'content-type': 'application/json' }, body: '{}' },
    { dispatcher, checkTarget: guard.checkUrl, nowMs: Date.now, signal },
  );
}

test('the limits of a whole exchange are in real time', { concurrency: true }, async (t) => {
  await Promise.all([
    t.test('a receiver that drips its headers is a failure at 15 seconds', async () => {
      await using receiver = await startRawStranger((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x: y\r\n'), 300);
        socket.once('close', () => clearInterval(drip));
      });
      const { failure, durationMs } = await send(`${receiver.origin}/hook`);
      assert.equal(failure, 'timed_out');
      assert(durationMs >= 14_900 && durationMs < 20_000, String(durationMs));
    }),
    t.test('a receiver that drips its body is a failure at 15 seconds', async () => {
      await using receiver = await startRawStranger((socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n');
        const drip = setInterval(() => socket.write('x'), 300);
        socket.once('close', () => clearInterval(drip));
      });
      const { failure, status } = await send(`${receiver.origin}/hook`);
      assert.deepEqual([failure, status], ['timed_out', 200]);
    }),
    t.test('a delivery to a receiver that answers 200 just before the limit succeeds', async () => {
      await using receiver = await startReceiver();
      receiver.answer = (response) => void sleep(13_500).then(() => response.writeHead(200).end());
      const { failure, durationMs } = await send(receiver.url);
      assert.equal(failure, null);
      assert(durationMs >= 13_400, String(durationMs));
    }),
    t.test('when our process stops, an attempt ends at once as interrupted', async () => {
      await using receiver = await startReceiver();
      receiver.answer = () => {};
      const stop = new AbortController();
      const sent = send(receiver.url, stop.signal);
      await receiver.got(1);
      stop.abort(new Error('stopping'));
      const { failure, durationMs } = await sent;
      assert.equal(failure, 'interrupted');
      assert(durationMs < 10_000);
    }),
  ]);
});
