import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { createAccount } from '../../src/accounts/create-account.ts';
import { createKey } from '../../src/accounts/create-key.ts';
import { type App, startApp } from '../../src/app.ts';
import type { Database } from '../../src/base/db/database.ts';
import { type ClockWatch, createClockWatch } from '../../src/base/std/clock-watch.ts';
import { type Config, type Environment, readConfig } from '../../src/config/config.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import type { Replacements } from '../../src/start/open-base.ts';
import type { ModelId } from '../../src/upstream/catalog/models.ts';
import { specifiedIds as modelIds } from '../../src/upstream/catalog/specified-models.ts';
import type { Provider } from '../../src/upstream/providers/provider.ts';
import { HeldClock } from './clock.ts';
import { copySchema, createDatabase } from './databases.ts';
import { TestProvider } from './provider.ts';
import { silentLog } from './silent-log.ts';

export interface Reply<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface World extends AsyncDisposable {
  app: App;
  config: Config;
  clock: HeldClock;
  /** Watches the database's clock, for a test that acts in place of the app. */
  watch: ClockWatch;
  provider: TestProvider;
  /** The API's address, without `/api/v1`. */
  url: string;
  /** A key of the account `tests`, which has 100.00. */
  key: string;
  accountId: string;
  /** Sends a request below `/api/v1`, by default with the world's key. */
  send(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply>;
  /** Creates a job. Jobs that are created one after the other have ids in their order. */
  create(path?: string, body?: object, headers?: Record<string, string>): Promise<string>;
  finished(jobId: string, key?: string): Promise<Record<string, unknown>>;
  balance(): Promise<{ balance: string; reserved: string; available: string }>;
  account(
    name: string,
    options?: { creditMicros?: bigint; models?: ModelId[]; expiresInMs?: number },
  ): Promise<{ accountId: string; key: string; keyId: string }>;
  /** Lets time pass, for the app and for the database. */
  elapse(ms: number): Promise<void>;
  /** Sets the app's and the database's clock forward or back, without time passing. */
  jump(ms: number): Promise<void>;
  /** Stops the app's and the database's clock until disposed, so that rates per second do not depend on the machine. */
  hold(): Promise<AsyncDisposable>;
  restart(): Promise<void>;
}

export interface WorldOptions {
  env?: Environment;
  config?: Partial<Config>;
  replacements?: Replacements;
  /** `true`: the configuration's routes instead of the test provider. */
  ownRoutes?: boolean;
  /** `false`: jobs stay queued. */
  worker?: boolean;
}

/** A Darkroom on an empty SQLite, or PostgreSQL with `TEST_DATABASE_URL`. Disposing checks the invariants. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-test-'));
  const { env: { DARKROOM_SECRET, DARKROOM_SECRET_FILE } = {}, config: { secrets } = {} } = options;
  const withSecret = !(DARKROOM_SECRET || DARKROOM_SECRET_FILE || secrets);
  await copySchema(dataDir, { withSecret });
  const database = await createDatabase({ withSecret });
  const clock = new HeldClock();
  const provider = new TestProvider();
  const env = {
    PORT: '0',
    DARKROOM_DATA_DIR: dataDir,
    // With renditions made ahead, every test with an image would start a child process to scale it.
    DARKROOM_RENDITIONS: 'on-demand',
    ...(database && { DATABASE_URL: database.url }),
    ...options.env,
  };
  const config = {
    ...readConfig(env, { role: options.worker === false ? 'api' : 'all' }),
    ...options.config,
  };
  const start = () =>
    startApp(config, {
      clock,
      log: silentLog,
      ...(options.ownRoutes !== true && { routes: testRoutes(provider) }),
      ...options.replacements,
    });

  let app = await start();
  const { accountId, key } = await addAccount('tests', { creditMicros: 100_000_000n });

  async function addAccount(
    name: string,
    more: { creditMicros?: bigint; models?: ModelId[]; expiresInMs?: number } = {},
  ) {
    const { creditMicros = 0n, ...keyOptions } = more;
    const account = await createAccount({ database: app.database, clock }, { name, creditMicros });
    const made = await createKey({ database: app.database, clock }, { account: account.id, ...keyOptions });
    return { accountId: account.id, key: made.key, keyId: made.keyId };
  }

  async function send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const response = await fetch(`${app.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  }

  return {
    get app() {
      return app;
    },
    config,
    clock,
    watch: createClockWatch(clock),
    provider,
    get url() {
      return app.url ?? '';
    },
    key,
    accountId,
    send,
    async create(path = '/nb2/text-generations', body = {}, headers = {}) {
      const reply = await send('POST', path, {
        body: { prompt: 'a fox', aspect_ratio: '1:1', ...body },
        headers,
      });
      if (reply.status !== 202)
        throw new Error(`expected 202, got ${reply.status}: ${JSON.stringify(reply.body)}`);
      // Within a millisecond, ids are in no order.
      for (const now = Date.now(); Date.now() === now; ) await setImmediate();
      return String(reply.body.job_id);
    },
    async finished(jobId, otherKey = key) {
      for (;;) {
        const { body } = await send('GET', `/jobs/${jobId}`, {
          headers: { prefer: 'wait=30', authorization: `Bearer ${otherKey}` },
        });
        if (body.status === 'done' || body.status === 'failed') return body;
        if (body.status === undefined) throw new Error(JSON.stringify(body));
      }
    },
    async balance() {
      const { body } = await send('GET', '/balance');
      return body as { balance: string; reserved: string; available: string };
    },
    account: addAccount,
    elapse: (ms) => elapse(app.database, clock, ms),
    async jump(ms) {
      clock.jump(ms);
      await setDatabaseClock(app.database, clock);
    },
    async hold() {
      clock.stoppedAtMs = Date.now();
      await setDatabaseClock(app.database, clock);
      return {
        async [Symbol.asyncDispose]() {
          clock.stoppedAtMs = undefined;
          await setDatabaseClock(app.database, clock);
        },
      };
    },
    async restart() {
      await app[Symbol.asyncDispose]();
      app = await start();
    },
    async [Symbol.asyncDispose]() {
      const violations = await findViolations(app.database.read);
      await app[Symbol.asyncDispose]();
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
      if (violations.length > 0) throw new Error(`invariants violated: ${JSON.stringify(violations)}`);
    },
  };
}

export function testRoutes(provider: Provider, { slots = 4, timeoutMs = 30_000 } = {}): Route[] {
  return modelIds.map((model) => ({ id: `${model}/test`, model, provider, slots, timeoutMs }));
}

export async function elapse(database: Database, clock: HeldClock, ms: number): Promise<void> {
  await setDatabaseClock(database, clock, ms);
  clock.advance(ms);
}

/** Sets the database's clock: SQLite reads the app's; PostgreSQL's own function is replaced. */
async function setDatabaseClock(
  database: Database,
  { offsetMs, stoppedAtMs }: HeldClock,
  aheadMs = 0,
): Promise<void> {
  if (database.kind === 'sqlite') return;
  const real = stoppedAtMs ?? '(extract(epoch from clock_timestamp()) * 1000)';
  const body = `select ${real}::bigint + (${offsetMs + aheadMs})`;
  await database.transaction((tx) =>
    sql
      .raw(`create or replace function now_ms() returns bigint language sql volatile as '${body}'`)
      .execute(tx),
  );
}
