import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { killDecoder } from '../../faults/harm/kill-decoder.ts';
import { skewedBy, whyNoSkew } from '../../faults/harm/skew.ts';
import { takeConnections } from '../../faults/harm/take-connections.ts';
import { harmSyncs, whyNoTracing } from '../../faults/harm/trace-syncs.ts';
import { listen, portOf } from '../../faults/listen.ts';
import { supervise } from '../../faults/supervise.ts';
import { startProxy } from '../../faults/tcp-proxy.ts';
import { readWhole } from '../../src/images/read-whole.ts';
import { openS3Store } from '../../src/images/s3/s3-store.ts';
import { startCluster } from '../world/postgres.ts';
import { endNow, temporaryFolder, until } from './support/server.ts';

// Proves that the harness really harms a run: without that, a run without findings would mean nothing.

test('a process that does not return in time is reported, with its last output', async () => {
  using folder = temporaryFolder();
  const program = join(folder.path, 'program.mjs');
  const logFile = join(folder.path, 'log');
  writeFileSync(program, 'process.send({ ready: true, url: null }); setInterval(() => {}, 1_000)');
  const late: string[] = [];
  await using child = supervise({
    name: 'planted',
    args: [program],
    env: {},
    logFile,
    backWithinMs: 8_000, // a busy machine takes seconds to start a process
    onLate: (what) => late.push(what),
    onExit: () => {},
  });
  await child.ready();
  writeFileSync(program, "console.log('I wait for ever'); setInterval(() => {}, 1_000)");
  child.signal('SIGKILL');
  await until(() => late.length > 0);
  assert.match(String(late), /^planted was not back within 8000 ms: .*I wait for ever/);
});

test('a one-way partition: nothing passes in one direction until it is over, then everything does, in order', async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {}); // the proxy resets the connection
    socket.on('data', (data) => received.push(String(data)));
    socket.write('hello');
  });
  await listen(server);
  await using proxy = await startProxy(portOf(server));
  const client = connect({ port: proxy.port, host: '127.0.0.1' });
  const [greeting] = await once(client, 'data');
  assert.equal(String(greeting), 'hello');

  proxy.partitionFor('there', 4_000); // longer than a busy machine delays this process's next check
  for (const word of ['one ', 'two ']) client.write(word);
  client.end('three');
  await sleep(300);
  assert.deepEqual(received, []);
  const other = connect({ port: proxy.port, host: '127.0.0.1' });
  const [answer] = await once(other, 'data');
  assert.equal(String(answer), 'hello', 'the other direction is open');
  await until(() => received.join('') === 'one two three');
  for (const socket of [client, other]) {
    socket.on('error', () => {}); // the proxy ends
    socket.destroy();
  }
  server.close();
});

test('a server’s connections are all taken, and released', {
  skip: !process.env.TEST_DATABASE_URL,
}, async () => {
  await using cluster = await startCluster({ connections: 10 });
  const open = async () => {
    const client = new pg.Client({ connectionString: cluster.url });
    await client.connect();
    await client.end();
  };
  {
    await using taken = await takeConnections(cluster.url);
    assert.ok(taken.taken > 0);
    await assert.rejects(open(), /too many clients/);
  }
  await until(() =>
    open().then(
      () => true,
      () => false,
    ),
  );
});

test('a running process’s syncs are slow or fail for the given time', {
  skip: whyNoTracing() ?? false,
}, async () => {
  using folder = temporaryFolder();
  const code = `const fs = require('node:fs'); const file = fs.openSync('${join(folder.path, 'file')}', 'w');
    setInterval(() => { const at = Date.now(); fs.fdatasync(file, (error) => console.log(error ? error.code : Date.now() - at)); }, 50)`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = linesOf(child);
  const pids = [child.pid ?? 0];
  await until(() => said.length > 0);
  const slow = harmSyncs(pids, { delayMs: 400 }, 3_000);
  await until(() => said.some((line) => Number(line) >= 400));
  await slow;
  const failing = harmSyncs(pids, 'failing', 3_000);
  await until(() => said.includes('EIO'));
  await failing;
  said.length = 0;
  await until(() => said.length > 5);
  assert.ok(!said.slice(-3).includes('EIO'));
  await endNow(child);
});

test('only the decoding child is killed', async () => {
  const start = (name: string) =>
    `spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', '${name}']).on('exit', (_, signal) => console.log('${name} ' + signal));`;
  const code = `const { spawn } = require('node:child_process'); ${start('other-child')} ${start('decoder-child.js')} console.log('up')`;
  const child = spawn(process.execPath, ['-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const said = linesOf(child);
  await until(() => said.includes('up'));
  await until(() => killDecoder(child.pid ?? 0));
  await until(() => said.includes('decoder-child.js SIGKILL'));
  assert.ok(!killDecoder(child.pid ?? 0));
  assert.deepEqual(said, ['up', 'decoder-child.js SIGKILL']);
  if (child.pid) process.kill(-child.pid, 'SIGKILL'); // and the child that was spared
});

test('a process’s clock is wrong from its start on, but runs at the usual speed', {
  skip: whyNoSkew ?? false,
}, async () => {
  const code =
    'const at = performance.now(); setTimeout(() => console.log(Date.now(), performance.now() - at), 100)';
  const child = spawn(process.execPath, ['-e', code], {
    env: skewedBy(-90),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = linesOf(child);
  await until(() => said.length > 0);
  const [at = 0, passed = 0] = (said[0] ?? '').split(' ').map(Number);
  const behind = Date.now() - at;
  assert.ok(behind >= 89_000 && behind < 150_000, `${behind} ms`);
  assert.ok(passed >= 99 && passed < 30_000, `${passed} ms`);
});

test('an object store in a bad mood cuts PUTs and shows objects late, but has only whole objects', async () => {
  using folder = temporaryFolder();
  await using child = supervise({
    name: 'objects',
    args: [join(import.meta.dirname, '../../faults/harm/object-store.ts'), folder.path, 'images'],
    env: { PATH: process.env.PATH },
    logFile: join(folder.path, 'log'),
    backWithinMs: 60_000,
    onLate: () => {},
    onExit: () => {},
  });
  const store = await openS3Store({
    bucket: 'images',
    prefix: '',
    region: 'us-east-1',
    endpoint: (await child.ready()).url ?? '',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  });
  const content = Buffer.alloc(50_000, 7);
  const put = (key: string) => store.put(key, content, { mediaType: 'image/png', bytes: content.length });
  const has = async (key: string) => {
    const found = await store.get(key);
    found?.body.resume();
    return found !== undefined;
  };

  child.order({ order: 'objects', mood: 'late', ms: 60_000 });
  let shown = 0;
  const late = await until(async () => {
    const key = `late-${shown++}.png`;
    await put(key);
    return !(await has(key)) && key;
  });
  await until(() => has(late));

  child.order({ order: 'objects', mood: 'cutting', ms: 60_000 });
  let puts = 0;
  await until(() =>
    put(`cut-${puts++}.png`).then(
      () => false,
      () => true,
    ),
  );
  child.order({ order: 'objects', mood: 'slow', ms: 0 });
  for await (const { key } of store.list('')) {
    const found = await store.get(key);
    assert.ok(found && content.equals(await readWhole(found.body, content.length)), key);
  }
  await store[Symbol.asyncDispose]?.();
});

function linesOf(child: ChildProcess): string[] {
  const lines: string[] = [];
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return lines;
}
