import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../src/accounts/create-account.ts';
import { type Admittee, createAdmission } from '../../src/admission/admit-jobs.ts';
import type { Admission } from '../../src/admission/decide-admissions.ts';
import { connect } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type AttemptEnd, createEndWriter } from '../../src/queue/write-ends.ts';
import type { Route } from '../../src/routes/route.ts';
import { type ClockWatch, createClockWatch } from '../../src/std/clock-watch.ts';
import { newId } from '../../src/std/ids.ts';
import { HeldClock } from '../world/clock.ts';
import { copySchema, createDatabase } from '../world/databases.ts';
import { TestProvider } from '../world/provider.ts';
import { elapse, testRoutes } from '../world/world.ts';
import { type ModelAccount, slotsPerModel } from './model.ts';

/** The operations under test on a real, empty database, without the loops that call them. */
export interface System extends AsyncDisposable {
  database: Database;
  clock: HeldClock;
  /** Of the database's clock. */
  watch: ClockWatch;
  routes: Route[];
  admit(admittee: Admittee): Promise<Admission>;
  finish(end: AttemptEnd): Promise<boolean>;
  account(name: string, balance: bigint): Promise<ModelAccount>;
  elapse(ms: number): Promise<void>;
  /** Closes the database in the middle of things and opens it again, as a killed process would. */
  restart(): Promise<void>;
}

export async function openSystem(): Promise<System> {
  const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-property-'));
  const clock = new HeldClock();
  await copySchema(dataDir);
  const own = await createDatabase();
  const open = () => connect({ url: own?.url, dataDir, clock });
  let database = await open();
  await migrate(database);
  let admit = createAdmission(database, () => {});
  let finish = createEndWriter(database, () => {});

  return {
    get database() {
      return database;
    },
    clock,
    watch: createClockWatch(clock),
    routes: testRoutes(new TestProvider(), { slots: slotsPerModel }),
    admit: (admittee) => admit(admittee),
    finish: (end) => finish(end),
    async account(name, balance) {
      const { id } = await createAccount({ database, clock }, { name, creditMicros: balance });
      return { id, keyId: newId(clock.nowMs()), balance, reserved: 0n, keys: new Map() };
    },
    elapse: (ms) => elapse(database, clock, ms),
    async restart() {
      await database[Symbol.asyncDispose]();
      database = await open();
      await migrate(database);
      admit = createAdmission(database, () => {});
      finish = createEndWriter(database, () => {});
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await own?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
