import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startTestProcess } from '../../../scripts/testing/test-process.ts';
import { noSmallDisk } from '../faults/support/small-disk.ts';

// Tests `npm test` itself, with test files that are written here.

test('an uncaught error fails the test that caused it, and no promise costs a hook', async () => {
  using file = writeTests(`
    import assert from 'node:assert/strict';
    import { executionAsyncId } from 'node:async_hooks';
    import { before, describe, it, test } from 'node:test';
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5_000).unref());
    describe('outer', () => {
      let ready = false;
      before(() => { ready = true; });
      describe('inner', () => {
        it('throws in a timer', async () => {
          await 1;
          setTimeout(() => { throw new Error('thrown late'); });
          await pause();
        });
        it('rejects', async () => {
          await 1;
          Promise.reject(new Error('rejected alone'));
          await pause();
        });
        it('is begun after its hook', () => assert.ok(ready));
        it('has a test of its own', async () => {
          await 1;
          await test('inside', () => {});
        });
      });
    });
    test('has no hooks', async () => {
      await 1;
      const first = executionAsyncId();
      await 2;
      assert.equal(executionAsyncId(), first);
    });
  `);
  const tests = startTestProcess(process.env);
  const { text, counts } = await tests.run(file.path, 60_000);
  await tests.end();
  const count = new Map(counts);
  assert.deepEqual([count.get('tests'), count.get('pass'), count.get('fail')], [6, 4, 2], text);
  assert.match(text, /^ {2}▶ inner\n {4}✖ throws in a timer .*\n(?: {6}.*\n|\n)* {4}✖ rejects /m);
  assert.match(text, /^✖ throws in a timer .*\n {2}Error: thrown late$/m);
  assert.match(text, /^✖ rejects .*\n {2}Error: rejected alone$/m);
  assert.match(text, /^ {6}✔ inside /m);
});

test('npm test ends its processes, removes its files and unmounts its disks when a signal ends it', async (t) => {
  const { child, folder, ofTest } = await startEndlessTest(t);
  assert.ok(existsSync(join(folder, 'darkroom.db')), folder);
  if (!noSmallDisk) {
    mkdirSync(join(folder, 'disk'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4096', 'tmpfs', join(folder, 'disk')]);
  }
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [143, null]);
  assert.equal(existsSync(folder), false);
  await ofTest;
});

test('npm test leaves no process behind when it is killed', async (t) => {
  const { child, folder, ofTest } = await startEndlessTest(t);
  child.kill('SIGKILL');
  await ofTest;
  // A killed run leaves its files to the next one. Its processes may write until they have ended.
  rmSync(folder, { recursive: true, maxRetries: 20 });
});

/** @returns the run, its folder, and the end of a process that its test has started */
async function startEndlessTest(t: TestContext) {
  const { promise: begun, resolve } = Promise.withResolvers<IncomingMessage>();
  const server = createServer(resolve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  const file = writeTests(`
    import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    import { test } from 'node:test';
    const ask = "fetch('http://127.0.0.1:${port}/' + encodeURIComponent(require('node:os').tmpdir()))";
    test('never ends', () => once(spawn(process.execPath, ['-e', ask]), 'exit'));
  `);
  t.after(() => file[Symbol.dispose]());
  const child = spawn(process.execPath, ['scripts/test.ts', file.path], { stdio: 'ignore' });
  const { url, socket } = await begun;
  return {
    child,
    folder: decodeURIComponent(url?.slice(1) ?? ''),
    ofTest: once(socket, 'close', { signal: AbortSignal.timeout(60_000) }),
  };
}

function writeTests(code: string): { path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-tests-of-tests-'));
  const path = join(folder, 'sample.test.mjs');
  writeFileSync(path, code);
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
