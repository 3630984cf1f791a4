import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen } from '../../faults/listen.ts';
import { seeded } from '../../faults/random.ts';
import { connect } from '../../src/base/db/connect.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { openOperator } from '../world/commands.ts';
import { outerEnv, programFile } from '../world/program-file.ts';
import { endNow, startServer, temporaryFolder, until } from './support/server.ts';

const timeout = 120_000;
const text = { prompt: 'a fox', aspect_ratio: '1:1' };

test('killed at random moments of its first start, it later opens with everything that a first start creates', {
  timeout,
}, async () => {
  // `FAULT_KILLS=40` for the long run.
  const kills = Number(process.env.FAULT_KILLS ?? 8);
  const killsOfOneFolder = 4;
  const random = seeded(11);
  for (let killed = 0; killed < kills; killed += killsOfOneFolder) {
    using folder = temporaryFolder();
    for (let nth = 0; nth < killsOfOneFolder; nth++) {
      const child = spawn(process.execPath, [programFile('server')], {
        env: { ...outerEnv(), PORT: '0', DARKROOM_DATA_DIR: folder.path },
        stdio: 'ignore',
      });
      await new Promise((resolve) => setTimeout(resolve, random.between(100, 1_200)));
      await endNow(child);
    }
    await using server = await startServer(folder.path);
    const { body } = await server.send('GET', '/balance');
    assert.deepEqual(body, { balance: '100.00', reserved: '0.00', available: '100.00' });
  }
});

test('two processes on one SQLite file both work, and each sees the other’s changes', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  const [one, two] = await Promise.all([startServer(folder.path), startServer(folder.path)]);
  await using first = one;
  await using second = two;
  const created = await Promise.all(
    [first, second, first, second].map((server) =>
      server.send('POST', '/nb/text-generations', { ...text, prompt: '[[delay:1ms]] a fox' }),
    ),
  );
  for (const [index, { status, body }] of created.entries()) {
    assert.equal(status, 202);
    const other = index % 2 === 0 ? second : first;
    const job = await until(async () => {
      const { body: seen } = await other.send('GET', `/jobs/${body.job_id}`, undefined, {
        prefer: 'wait=5',
      });
      return seen.finished_at !== null && seen;
    });
    assert.equal(job.status, 'done');
  }
  await using operator = await openOperator({ DARKROOM_DATA_DIR: folder.path });
  assert.deepEqual((await operator.verify()).violations, []);
});

test('killed while it fetches inputs: nothing is reserved, the files go at the next start, and the key is free soon', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  const asked = Promise.withResolvers<void>();
  const slow = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': '100000' });
    response.write(Buffer.alloc(50_000));
    asked.resolve();
  });
  const inputUrl = `${await listen(slow)}/input.png`;
  const incoming = join(folder.path, 'incoming');
  const body = { ...text, input_images_urls: [inputUrl] };
  {
    await using server = await startServer(folder.path);
    const lost = server
      .send('POST', '/nb2/url-generations', body, { 'idempotency-key': 'one' })
      .catch(() => 'no answer');
    await asked.promise;
    await until(() => readdirSync(incoming, { recursive: true }).length > 0);
    await endNow(server.child);
    assert.equal(await lost, 'no answer');
  }
  slow.closeAllConnections();
  slow.close();
  await using server = await startServer(folder.path);
  assert.deepEqual(readdirSync(incoming), []);
  assert.deepEqual((await server.send('GET', '/balance')).body, {
    balance: '100.00',
    reserved: '0.00',
    available: '100.00',
  });
  await using database = await connect({ url: undefined, dataDir: folder.path, clock: systemClock });
  const [record] = await database.read
    .selectFrom('idempotency_keys')
    .select(['key', 'job_id', 'held_until'])
    .execute();
  // The record is removed if its time was over at this start.
  assert.equal(record?.job_id ?? null, null);
  assert.ok(
    (record?.held_until ?? 0) <= Date.now() + 60_000,
    'the dead request holds its key for 60 s at most',
  );
});

test('SIGTERM under load: the server drains and exits by itself, and every acknowledged job ends', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  const ids: string[] = [];
  {
    await using server = await startServer(folder.path);
    for (let nth = 0; nth < 6; nth++) {
      const { body } = await server.send('POST', '/nb/text-generations', {
        ...text,
        prompt: `[[delay:500ms]] fox ${nth}`,
      });
      ids.push(String(body.job_id));
    }
    const gone = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    const [code] = await gone;
    assert.equal(code, 0);
  }
  await using server = await startServer(folder.path);
  for (const id of ids) {
    const job = await until(async () => {
      const { body } = await server.send('GET', `/jobs/${id}`, undefined, { prefer: 'wait=5' });
      return body.finished_at !== null && body;
    });
    assert.equal(job.status, 'done');
  }
});

test('if nobody reads its log, requests continue, and it still stops when asked to', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path);
  server.child.stdout?.pause();
  for (let nth = 0; nth < 2_000; nth++) {
    const { status } = await server.send('GET', '/balance');
    assert.equal(status, 200);
  }
  const gone = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  await gone;
});

test('out of file descriptors it refuses connections, and works again when there are some', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path, {
    shell: (command) => `ulimit -n 80; exec ${command}`,
  });
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: 150 }, () => connectTcp(port, '127.0.0.1').on('error', () => {}));
  await Promise.race([
    server.send('GET', '/balance').catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 1_000)),
  ]);
  for (const socket of sockets) socket.destroy();
  const reply = await until(async () => {
    const answer = await server.send('GET', '/balance').catch(() => undefined);
    return answer?.status === 200 && answer;
  });
  assert.equal(reply.status, 200);
  assert.equal((await server.send('POST', '/nb/text-generations', text)).status, 202);
});

test('with more idle connections than it may have files, other clients are served and their jobs are made', {
  timeout,
}, async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path, {
    shell: (command) => `ulimit -n 300; exec ${command}`,
  });
  const port = Number(new URL(server.url).port);
  const sockets = Array.from({ length: 400 }, () => connectTcp(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // Checked before any of the connections is closed for inactivity.
  const signal = AbortSignal.timeout(10_000);
  assert.equal((await fetch(`${server.url}/livez`, { signal })).status, 200);
  const { status, body } = await server.send('POST', '/nb/text-generations', text);
  assert.equal(status, 202);
  const { body: job } = await server.send('GET', `/jobs/${body.job_id}`, undefined, { prefer: 'wait=60' });
  assert.equal(job.status, 'done');
  for (const socket of sockets) socket.destroy();
});

test('times are UTC, whatever the machine’s time zone', { timeout }, async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path, { env: { TZ: 'Pacific/Chatham' } });
  const { body } = await server.send('POST', '/nb/text-generations', text);
  const { body: job } = await server.send('GET', `/jobs/${body.job_id}`);
  const createdAt = String(job.created_at);
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
});
