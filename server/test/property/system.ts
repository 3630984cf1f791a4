import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createAuthenticator } from '../../src/accounts/authenticate.ts';
import { createAccount } from '../../src/accounts/create-account.ts';
import { createKey } from '../../src/accounts/create-key.ts';
import type { Payments } from '../../src/accounts/payments/open-payments.ts';
import type { PaymentEvent } from '../../src/accounts/payments/payment-provider.ts';
import { settlePayment } from '../../src/accounts/payments/settle-payment.ts';
import { openPriceBook, type Prices } from '../../src/accounts/price-groups/price-book.ts';
import { connect } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { migrate } from '../../src/base/db/migrating/migrate.ts';
import { type Changes, openChanges } from '../../src/base/db/open-changes.ts';
import { createRateLimiter } from '../../src/base/http/rate-limit.ts';
import type { Clock } from '../../src/base/std/clock.ts';
import { type ClockWatch, createClockWatch } from '../../src/base/std/clock-watch.ts';
import { noTracing } from '../../src/base/tracing/tracing.ts';
import { createAdmission } from '../../src/jobs/admission/admission.ts';
import type { CreateDeps } from '../../src/jobs/admission/create-job.ts';
import { createUnderWay } from '../../src/jobs/admission/under-way.ts';
import { type AttemptEnd, createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import type { LimitDefaults } from '../../src/money/limits/limit.ts';
import { tellPayments } from '../../src/notify/alerts/tell-payments.ts';
import { ensureModels } from '../../src/upstream/catalog/apply-file.ts';
import { createEntrance, type Entrance } from '../../src/web/api/entrance.ts';
import { copySchema, createDatabase } from '../world/databases.ts';
import { TestProvider } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { testRoutes } from '../world/world.ts';
import { type Bank, createBank } from './bank.ts';
import { type ModelAccount, slotsPerModel } from './model.ts';
import { noTopUp } from './model-top-ups.ts';

export interface System extends AsyncDisposable {
  database: Database;
  clock: StoppedClock;
  startedAtMs: number;
  watch: ClockWatch;
  routes: Route[];
  intake: CreateDeps;
  prices: Prices;
  changes: Pick<Changes, 'refresh'>;
  entrance: Entrance;
  till: Payments & { bank: Bank };
  settle(event: PaymentEvent): Promise<void>;
  finish(end: AttemptEnd): Promise<boolean>;
  account(name: string, balance: bigint): Promise<ModelAccount>;
  elapse(ms: number): Promise<void>;
  /** Closes the database in the middle of work and opens it again, as after a killed process. */
  restart(defaults: LimitDefaults): Promise<void>;
}

export const stripe = { name: 'stripe', title: 'Stripe' };

/** A clock that is stopped near the end of an hour, a day and a month, so that the model knows every time. */
class StoppedClock implements Clock {
  #nowMs = Date.UTC(2027, 0, 31, 22, 45);

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

export async function openSystem(firstDefaults: LimitDefaults): Promise<System> {
  const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-property-'));
  const clock = new StoppedClock();
  await copySchema(dataDir);
  const own = await createDatabase();
  const open = async (defaults: LimitDefaults) => {
    const database = await connect({ url: own?.url, dataDir, clock });
    await migrate(database);
    await ensureModels(database);
    await stopClock(database, clock);
    const changes = openChanges(database, silentLog);
    const prices = await openPriceBook(database, { changes, clock });
    return {
      database,
      changes,
      prices,
      ...operationsOf(database, clock, { limitDefaults: defaults, prices }),
    };
  };
  let opened = await open(firstDefaults);
  const settle = async (event: PaymentEvent) => {
    await settlePayment({ database: opened.database, provider: stripe, ...tellPayments }, event);
  };

  return {
    get database() {
      return opened.database;
    },
    clock,
    startedAtMs: clock.nowMs(),
    watch: createClockWatch(clock),
    routes: testRoutes(new TestProvider(), { slots: slotsPerModel }),
    get intake() {
      return opened.intake;
    },
    get changes() {
      return opened.changes;
    },
    get prices() {
      return opened.prices;
    },
    get entrance() {
      return opened.entrance;
    },
    till: tillOf(createBank(clock, settle)),
    settle,
    finish: (end) => opened.finish(end),
    async account(name, balance) {
      const deps = { database: opened.database, clock };
      const { id } = await createAccount(deps, { name, creditMicros: balance });
      const made = [await createKey(deps, { account: id }), await createKey(deps, { account: id })];
      const keys = [...made.map(({ key, keyId }) => ({ id: keyId, text: key })), { id, text: null }];
      return {
        ...{ id, keys, balance, reserved: 0n, debt: 0n, group: null, asked: new Map(), moved: new Map() },
        ...{ moves: { credit: balance, debit: 0n, capture: 0n }, topUp: { ...noTopUp } },
      };
    },
    async elapse(ms) {
      clock.advance(ms);
      await stopClock(opened.database, clock);
    },
    async restart(defaults) {
      await opened.changes[Symbol.asyncDispose]();
      await opened.database[Symbol.asyncDispose]();
      opened = await open(defaults);
    },
    async [Symbol.asyncDispose]() {
      await opened.changes[Symbol.asyncDispose]();
      await opened.database[Symbol.asyncDispose]();
      await own?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function tillOf(bank: Bank): System['till'] {
  const nobodyAsks = () => Promise.reject(new Error('nobody asks'));
  const provider = { ...stripe, openCheckout: nobodyAsks, readMessage: nobodyAsks, cards: bank };
  return {
    ...{
      bank,
      provider: { ...provider, listSince: async function* () {} },
      keysFrom: 'panel',
      hint: '',
      lacks: [],
    },
    ...{ amountsMicros: [], leastMicros: 1n, mostMicros: 1_000_000n },
  };
}

/** SQLite reads this clock; PostgreSQL's own function is replaced. */
async function stopClock(database: Database, clock: Clock): Promise<void> {
  if (database.kind === 'sqlite') return;
  const body = `select ${clock.nowMs()}::bigint`;
  await database.transaction((tx) =>
    sql
      .raw(`create or replace function now_ms() returns bigint language sql volatile as '${body}'`)
      .execute(tx),
  );
}

function operationsOf(
  database: Database,
  clock: Clock,
  { limitDefaults, prices }: Pick<CreateDeps, 'limitDefaults' | 'prices'>,
) {
  const limiter = createRateLimiter(clock);
  const authenticator = createAuthenticator({ database, clock });
  const rates = { limiter, rateLimit: null, limitDefaults };
  const intake: CreateDeps = {
    log: silentLog,
    database,
    clock,
    limitDefaults,
    prices,
    admit: createAdmission(database, () => {}, limitDefaults),
    underWay: createUnderWay(),
    tracing: noTracing,
    guardrail: null,
    // The requests of these tests have no inputs and no origin.
    takeInputs: () => Promise.reject(new Error('there is nothing to fetch')),
    readJob: async () => undefined,
    catalogue: { at: () => Promise.reject(new Error('no fingerprint depends on a model')) },
    jobOfLink: () => undefined,
    isOwnLink: () => false,
    whyUnserved: () => null,
  };
  return {
    intake,
    entrance: createEntrance({ authenticator, ...rates, refuseKey: (error) => error }),
    finish: createEndWriter(database, () => {}),
  };
}
