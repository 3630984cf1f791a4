import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fastify } from 'fastify';
import { createAccount } from '../server/src/accounts/create-account.ts';
import { createKey } from '../server/src/accounts/create-key.ts';
import { startApp } from '../server/src/app.ts';
import { createGuard } from '../server/src/base/guard/guard.ts';
import { systemClock } from '../server/src/base/std/clock.ts';
import { type Role, readConfig } from '../server/src/config/config.ts';
import type { ImageStore } from '../server/src/images/image-store.ts';
import { readQueue } from '../server/src/jobs/job-store.ts';
import { toModel } from '../server/src/upstream/catalog/model-definition.ts';
import { specifiedModels } from '../server/src/upstream/catalog/specified-models.ts';
import { createOpenAi } from '../server/src/upstream/providers/openai/openai.ts';
import type { Provider } from '../server/src/upstream/providers/provider.ts';
import { createBodySchema } from '../server/src/web/api/nouns/jobs/job-schemas.ts';
import { changeModel } from '../server/test/world/change-model.ts';
import { createDatabase } from '../server/test/world/databases.ts';
import { TestProvider } from '../server/test/world/provider.ts';
import { testRoutes } from '../server/test/world/world.ts';
import { createChecks } from './checks.ts';
import { catchUpWithPast, fillWithFinishedJobs } from './fill.ts';
import { createLimited } from './limited.ts';
import type { CheckMessage, PastMessage } from './load.ts';
import { createPast, putImages } from './past.ts';
import { type Engine, startEngine } from './peers/engine.ts';

type Question = 'close' | 'state' | 'waiting' | 'jobs' | 'look';

const minutesADay = 24 * 60;

// A server under load, in a separate process: Darkroom, a job engine, or a bare Fastify with the same schema and
// nothing behind it.
const { values } = parseArgs({
  options: {
    bare: { type: 'boolean', default: false },
    engine: { type: 'string' },
    role: { type: 'string', default: 'api' },
    finished: { type: 'string', default: '0' },
    memory: { type: 'boolean', default: false },
    limited: { type: 'boolean', default: false },
    /** The model `nb` makes images of 64 × 64 pixels. */
    small: { type: 'boolean', default: false },
    images: { type: 'string', default: '0' },
    upstream: { type: 'string' },
    traces: { type: 'string' },
    /** The URL of another target's database. This target shares that database, but has its own account. */
    join: { type: 'string' },
    /** The data folder of the joined target, with its images. */
    data: { type: 'string' },
    /** The time to make an image, in milliseconds. */
    takes: { type: 'string', default: '0' },
    /** How many minutes jobs are kept. */
    keep: { type: 'string' },
  },
});
const server = values.bare ? await startBare() : values.engine ? await startEngined() : await startDarkroom();
const { url, key, databaseUrl, dataDir, accountId, limitedKey, panelLink } = server;
process.send?.({ url, key, databaseUrl, dataDir, accountId, limitedKey, panelLink, pid: process.pid });
process.on('message', async (message: Question | PastMessage | CheckMessage) => {
  if (typeof message === 'object' && 'check' in message) {
    if (message.check === 'end') await server.checks?.end();
    else server.checks?.begin(message.check);
    process.send?.({});
    return;
  }
  if (typeof message === 'object') {
    if (message.past === 'begin') server.past?.begin();
    if (message.past === 'end') await server.past?.end();
    process.send?.({ removed: server.past?.removed, isOver: server.past?.isOver });
    return;
  }
  if (message === 'jobs') {
    process.send?.(await server.jobs());
    return;
  }
  if (message === 'waiting') {
    process.send?.(await server.waiting());
    return;
  }
  if (message === 'look') {
    process.send?.(await server.past?.look());
    return;
  }
  if (message === 'close') {
    await server.close();
    process.disconnect();
    return;
  }
  const { user, system } = process.cpuUsage();
  process.send?.({
    cpuMicros: user + system,
    rssBytes: process.memoryUsage.rss(),
    heapBytes: process.memoryUsage().heapUsed,
  });
});

async function startDarkroom() {
  const dataDir = values.data ?? mkdtempSync(join(tmpdir(), 'darkroom-bench-'));
  const database = values.join ? { url: values.join, drop: async () => {} } : await createDatabase();
  const env = {
    PORT: '0',
    DARKROOM_DATA_DIR: dataDir,
    DARKROOM_LOG_LEVEL: 'warn',
    DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8',
    DATABASE_URL: database?.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: values.traces,
    // Otherwise many processes would each start children to scale images.
    ...(values.join && { DARKROOM_RENDITIONS: 'on-demand' }),
  };
  const config = readConfig(env, { role: values.role as Role });
  const days = Number(values.keep) / minutesADay;
  const app = await startApp(
    {
      ...config,
      worker: { ...config.worker, concurrency: 500 },
      ...(values.keep && { retention: { jobs: days, idempotency: days } }),
    },
    {
      routes: testRoutes(
        values.upstream ? openUpstream(values.upstream) : openTestProvider(Number(values.takes)),
        {
          slots: 1_000,
        },
      ),
      ...(values.memory && { images: memoryStore() }),
    },
  );
  if (values.small)
    await changeModel({ app }, 'nb', (before) => {
      return (
        before && {
          ...before,
          ratios: ['1:1'],
          resolutions: { '1K': { price: '0.02', sizes: { '1:1': [64, 64] } } },
        }
      );
    });
  const deps = { database: app.database, clock: systemClock };
  const name = values.join ? `bench-${process.pid}` : 'bench';
  const { id } = await createAccount(deps, { name, creditMicros: 8_000_000_000_000_000n });
  const { key } = await createKey(deps, { account: id });
  if (values.finished !== '0') {
    await fillWithFinishedJobs(app.database, id, Number(values.finished));
    await catchUpWithPast(app.database, id);
  }
  if (values.images !== '0') await putImages(app, join(dataDir, 'images'), Number(values.images));
  return {
    url: app.url ?? '',
    key,
    databaseUrl: database?.url,
    dataDir,
    accountId: id,
    limitedKey: values.limited ? await createLimited(app.database) : undefined,
    panelLink: app.panelLink ?? undefined,
    past: createPast(app),
    checks: createChecks(app),
    async waiting() {
      const { queued, processing } = await readQueue(app.database.read);
      return queued + processing;
    },
    async jobs() {
      const count = app.database.read.selectFrom('jobs').select(({ fn }) => fn.countAll().as('jobs'));
      return Number((await count.executeTakeFirstOrThrow()).jobs);
    },
    async close() {
      await app[Symbol.asyncDispose]();
      await database?.drop();
      if (values.data === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function openTestProvider(takesMs: number): TestProvider {
  const provider = new TestProvider();
  if (takesMs > 0)
    provider.handler = async (request) => {
      await sleep(takesMs);
      return provider.answer(request);
    };
  return provider;
}

function openUpstream(url: string): Provider {
  const guard = createGuard({ allowNetworks: [] });
  return createOpenAi({ model: 'local', baseUrl: `${url}/v1`, sizes: 'exact' }, {}, guard);
}

async function startBare() {
  const nb2 = specifiedModels.find(({ id }) => id === 'nb2');
  if (!nb2) throw new Error('there is no model nb2');
  const server = fastify({ ajv: { customOptions: { keywords: ['x-documented'] } } });
  const jobId = '01a1f874-b06b-7333-b899-48d9408c11d4';
  const answer = { job_id: jobId, status: 'queued', status_url: `/api/v1/jobs/${jobId}` };
  const body = createBodySchema(toModel(nb2, 1), 'text');
  server.post('/api/v1/nb2/text-generations', { schema: { body } }, async (_request, reply) => {
    reply.code(202);
    return answer;
  });
  server.get('/api/v1/jobs/:job_id', async () => answer);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return withoutAccount({ url, waiting: async () => 0, close: () => server.close() });
}

async function startEngined() {
  const database = await createDatabase();
  const server = await startEngine(values.engine as Engine, database?.url ?? '');
  const close = async () => {
    await server.close();
    await database?.drop();
  };
  return withoutAccount({ ...server, close });
}

function withoutAccount(server: { url: string; waiting(): Promise<number>; close(): Promise<unknown> }) {
  return {
    key: 'none',
    databaseUrl: undefined,
    dataDir: undefined,
    accountId: undefined,
    limitedKey: undefined,
    panelLink: undefined,
    past: undefined,
    checks: undefined,
    jobs: async () => 0,
    ...server,
  };
}

function memoryStore(): ImageStore {
  const objects = new Map<string, Uint8Array>();
  return {
    kind: 'memory',
    async put(key, body) {
      if (body instanceof Uint8Array) objects.set(key, body);
    },
    async get(key) {
      const bytes = objects.get(key);
      return bytes && { bytes: bytes.byteLength, body: Readable.from([bytes]) };
    },
    remove: async (key) => {
      objects.delete(key);
    },
    async *list() {},
    check: async () => {},
    sweep: async () => ({ removed: 0 }),
  };
}
