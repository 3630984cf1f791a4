import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from '../../src/base/http/server.ts';
import { createMeter } from '../../src/base/metrics/meter.ts';
import { createRecordingLog } from './support/recording-log.ts';

const log = createRecordingLog();
const meter = createMeter();
const server = createServer({ log, meter, publicUrl: () => 'http://localhost' });
const fail = () => {
  throw new Error('a mistake of ours');
};
const began = Promise.withResolvers<void>();
const mayEnd = Promise.withResolvers<void>();
server.get('/slow', async () => {
  began.resolve();
  await mayEnd.promise;
  return { fine: true };
});
server.get('/before', (request) => {
  setImmediate(() => request.raw.once('later', fail).emit('later'));
});
server.get('/begun', (_request, reply) => {
  reply.hijack().raw.writeHead(200).write('the beginning');
  setImmediate(() => reply.raw.once('later', fail).emit('later'));
});
server.get('/ended', (_request, reply) => {
  reply.raw.once('finish', fail);
  return reply.send({ fine: true });
});
const url = await server.listen({ host: '127.0.0.1', port: 0 });
after(() => server.close());

test('an error thrown by a listener ends its own request, is logged and counted, and ends no other request', async () => {
  const other = fetch(`${url}/slow`);
  await began.promise;
  const failed = await fetch(`${url}/before`);
  const problem = (await failed.json()) as { code: string; request_id: string };
  assert.deepEqual([failed.status, problem.code], [500, 'internal']);
  const line = log.lines.find((one) => one.includes(problem.request_id)) ?? '';
  assert.match(line, /request\.crashed.*a mistake of ours/);
  const begun = await fetch(`${url}/begun`);
  await assert.rejects(begun.text());
  assert.equal((await fetch(`${url}/ended`)).status, 200);
  await sleep(0);
  mayEnd.resolve();
  assert.equal((await other).status, 200);
  const counted = meter.read().find(({ name }) => name === 'darkroom_http_faults_total');
  assert.deepEqual(
    counted?.samples.map(({ labels, value }) => [labels[0]?.[1], value]),
    [
      ['later', 2],
      ['finish', 1],
    ],
  );
});
