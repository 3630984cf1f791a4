import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// All programs share this compile cache, because a process that is killed cannot write its own.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/darkroom'));
const { openStore } = await import('../src/images/open-store.ts');
const { startApp } = await import('../src/app.ts');
const { readConfig, roles } = await import('../src/config/config.ts');
const { dieAtCommit } = await import('./die-at-commit.ts');
const { faultyStore } = await import('./faulty-store.ts');
const { obeyHarness, sayReady } = await import('./messages.ts');
const { stubRoutes } = await import('./stub-routes.ts');

/** The real server as a child of the harness, with the provider stub and an image store that fails on demand. */
const role = roles.find((name) => name === process.argv[2]);
const stubUrl = process.argv[3];
if (!role || !stubUrl) throw new Error('usage: process.ts ROLE PROVIDER_URL');

const config = readConfig(process.env, { role });
const store = faultyStore(await openStore(config));

obeyHarness((order) => {
  switch (order.order) {
    case 'store':
      return store.behave(order.mood, order.ms);
    case 'die-at-commit':
      return dieAtCommit(order);
    case 'block':
      // Blocks the event loop as work would, but leaves the processor to other processes.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.ms);
  }
});

const app = await startApp(config, { images: store, routes: stubRoutes(stubUrl) });
process.once('SIGTERM', () => void app[Symbol.asyncDispose]().then(() => process.exit(0)));
sayReady(app.url);
