import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fastify } from 'fastify';
import { installed } from './installed.ts';

/** Other projects' job engines on the same database, configured as they recommend for many short jobs. */
export const engines = ['pg-boss', 'graphile-worker'] as const;
export type Engine = (typeof engines)[number];

interface Queue {
  add(body: object): Promise<unknown>;
  stop(): Promise<unknown>;
}

const connections = 20;
const batch = 500;

/**
 * Starts a server that adds a job to an engine for each create, and a worker in this process that finishes each job
 * immediately.
 */
export async function startEngine(engine: Engine, databaseUrl: string) {
  let accepted = 0;
  let done = 0;
  const finish = (jobs: number) => {
    done += jobs;
  };
  const queue = await open[engine](databaseUrl, finish);
  const server = fastify();
  server.post('/api/v1/nb2/text-generations', async (request, reply) => {
    const body = request.body as object; // its load sends objects
    await queue.add(body);
    accepted += 1;
    reply.code(202);
    return { status: 'queued' };
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    waiting: async () => accepted - done,
    async close() {
      await server.close();
      await queue.stop();
    },
  };
}

/** The parts of pg-boss and graphile-worker that we use. The packages' own types exist only once they are installed. */
interface PgBossModule {
  PgBoss: new (
    options: object,
  ) => {
    start(): Promise<unknown>;
    createQueue(name: string, options: object): Promise<unknown>;
    work(name: string, options: object, handler: (jobs: unknown[]) => Promise<void>): Promise<unknown>;
    send(name: string, data: object): Promise<unknown>;
    stop(options: object): Promise<unknown>;
    on(event: 'error', handler: (error: Error) => void): unknown;
  };
}

interface GraphileModule {
  Logger: new (factory: () => () => void) => object;
  run(
    options: object,
  ): Promise<{ addJob(task: string, data: object): Promise<unknown>; stop(): Promise<unknown> }>;
}

const open: Record<Engine, (url: string, finish: (jobs: number) => void) => Promise<Queue>> = {
  async 'pg-boss'(connectionString, finish) {
    const { PgBoss } = await load<PgBossModule>('pg-boss');
    const boss = new PgBoss({ connectionString, max: connections, useListenNotify: true });
    boss.on('error', (error) => process.stderr.write(`${error}\n`));
    await boss.start();
    await boss.createQueue('images', { notify: true });
    const options = { batchSize: batch, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
    await boss.work('images', options, async (jobs) => finish(jobs.length));
    return { add: (body) => boss.send('images', body), stop: () => boss.stop({ graceful: false }) };
  },
  async 'graphile-worker'(connectionString, finish) {
    const { Logger, run } = await load<GraphileModule>('graphile-worker');
    const runner = await run({
      connectionString,
      maxPoolSize: connections,
      concurrency: 64,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
      preset: { worker: { localQueue: { size: batch }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: { image: async () => finish(1) },
    });
    return { add: (body) => runner.addJob('image', body), stop: () => runner.stop() };
  },
};

async function load<Module>(engine: Engine): Promise<Module> {
  return import(pathToFileURL(join(await installed(engine), 'dist/index.js')).href);
}
