import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { rollUp } from '../../src/jobs/activity/roll-up.ts';
import { deleteOldCosts } from '../../src/jobs/costs/attempt-cost-store.ts';
import { eraseAccount } from '../../src/jobs/upkeep/erase-account.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { ProviderError, type RunContext } from '../../src/upstream/providers/provider.ts';
import { eventually } from '../http/support/requests.ts';
import { openOperator } from '../panel/browser.ts';
import { expire, stepAtOnce } from '../world/expire.ts';
import { CreditProvider, creditsOf } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

// MARGINS_FULL=1 makes the published number of jobs.
const jobs = process.env.MARGINS_FULL ? 2_000 : 200;
const worker = { ...readConfig({}).worker, heartbeatMs: 600_000 }; // nothing extends leases or notices cancels

class Vendor extends CreditProvider {
  billed = 0n;
  asked = 0;
  worked = 0;
  readonly untold: bigint[] = [];
  readonly held = new Map<string, PromiseWithResolvers<void>>();
  #next = 1;

  told(): bigint {
    return this.untold.reduce((all, one) => all - one, this.billed);
  }

  /** Every job has a fate, determined by the number in its prompt. */
  constructor() {
    super();
    this.handler = async (request, context) => {
      const { attempt } = context;
      const [, name = '', fate = ''] = /^(\S+) of (\S+)/.exec(request.prompt) ?? [];
      if (fate === 'refused' && attempt === 1) throw new ProviderError('unsupported', 'Not of this size.');
      this.asked += 1;
      const gate = this.held.get(name);
      if (gate && attempt === 1) await gate.promise;
      this.#bill(context);
      if (fate === 'blocked') throw failure('safety_blocked');
      if (fate === 'broken' && attempt === 1) return { bytes: Buffer.from('no image') };
      return this.answer(request);
    };
  }

  /** Prices differ each time. */
  #bill({ onCharge, signal }: RunContext): void {
    this.#next = (this.#next * 48_271) % 2_147_483_647;
    const costMicros = BigInt(1_000 + (this.#next % 90_001));
    this.billed += costMicros;
    this.worked += 1;
    if (signal.aborted) {
      this.untold.push(costMicros);
      // An aborted attempt is still listened to for a moment; this vendor reports nothing to a caller that has gone.
      throw signal.reason;
    }
    onCharge({ used: creditsOf(costMicros), usage: { output_tokens: this.#next % 1_000 } });
  }
}

const fates = [
  ...Array.from({ length: 8 }, () => 'made'),
  ...['refused', 'blocked', 'broken', 'cancelled', 'lost', 'late'],
];

test('margins are what the upstream billed and clients paid, to the micro-unit, even after jobs and accounts are removed', async () => {
  const vendor = new Vendor();
  const { held } = vendor;
  const routes = ['nb', 'nb2'].flatMap((model) => [
    { id: `${model}/first`, model, provider: vendor, slots: 400, timeoutMs: 600_000 },
    { id: `${model}/second`, model, provider: vendor, slots: 400, timeoutMs: 600_000 },
  ]);
  await using world = await openWorld({
    config: { worker: { ...worker, concurrency: 400 } },
    replacements: { routes },
  });
  const operator = await openOperator(world);
  const accounts = await Promise.all(
    ['one', 'two'].map((name) => world.account(name, { creditMicros: 1_000_000_000n })),
  );
  const made = await Promise.all(
    Array.from({ length: jobs }, async (_, index) => {
      const fate = fates[index % fates.length] ?? '';
      if (['cancelled', 'lost', 'late'].includes(fate)) held.set(`job-${index}`, Promise.withResolvers());
      const model = index % 3 === 0 ? 'nb' : 'nb2';
      const { key, accountId } = accounts[index % 2] ?? assert.fail();
      const body = { prompt: `job-${index} of ${fate}`, ...(fate === 'late' && { deadline_seconds: 600 }) };
      const id = await world.create(`/${model}/text-generations`, body, { authorization: `Bearer ${key}` });
      return { id, fate, key, accountId, name: `job-${index}` };
    }),
  );
  await eventually(
    async () => vendor.requests.length,
    (count) => count >= jobs,
  );
  for (const { id, key } of made.filter(({ fate }) => fate === 'cancelled'))
    await world.send('POST', `/jobs/${id}/cancel`, { headers: { authorization: `Bearer ${key}` } });
  // The jump ends the leases of all running attempts, including those that have been charged and are not recorded yet.
  await eventually(
    async () => {
      const running = world.app.database.read.selectFrom('jobs').where('status', '=', 'processing');
      const { n } = await running.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
      return Number(n);
    },
    (running) => running === made.filter(({ fate }) => ['lost', 'late'].includes(fate)).length,
  );
  await world.elapse(worker.leaseMs + 600_000);
  let revenue = 0;
  for (const { id, key, fate } of made) {
    const job = await world.finished(id, key);
    assert.equal(job.status, ['blocked', 'cancelled', 'late'].includes(fate) ? 'failed' : 'done', fate);
    if (job.status === 'done') revenue += Number(job.price) * 1e6;
  }
  const { database } = world.app;
  await rollUp(database, stepAtOnce(database)); // counts the remaining attempts
  for (const { promise: _, resolve } of held.values()) resolve();

  const read = async (query: Record<string, string> = {}) => {
    const { data, total } = await operator.call('GET /admin/v1/margins', { query });
    return { data, total };
  };
  const micros = (amount: string | null) => BigInt(Math.round(Number(amount) * 1e6));
  const assertEqual = async (query: Record<string, string>) => {
    const { data, total } = await read(query);
    const sum = (of: (row: (typeof data)[number]) => bigint) => data.reduce((all, row) => all + of(row), 0n);
    const billed = vendor.told();
    assert.equal(micros(total.cost), billed, 'what the vendor billed');
    assert.equal(
      sum((row) => micros(row.cost)),
      billed,
    );
    assert.equal(micros(total.revenue), BigInt(Math.round(revenue)), 'what clients paid');
    assert.equal(
      sum((row) => micros(row.margin)),
      BigInt(Math.round(revenue)) - billed,
    );
    assert.equal(total.unknown_attempts, vendor.untold.length, 'only the bill tells of these');
    assert.equal(total.images_without_cost, 0);
    return total;
  };
  // The last attempts are counted one at a time.
  await eventually(
    async () => (await read()).total,
    ({ unknown_attempts: unknown, cost }) =>
      vendor.worked === vendor.asked && unknown === vendor.untold.length && micros(cost) === vendor.told(),
  );
  const { cost_without_revenue: wasted } = await assertEqual({ group_by: 'account,model' });
  assert.ok(micros(wasted) > 0n);

  await world.elapse(24 * 60 * 60_000);
  await rollUp(database, stepAtOnce(database));
  await expire(world.app, -1);
  assert.equal((await world.send('GET', `/jobs/${made[0]?.id}`)).status, 404);
  await assertEqual({ group_by: 'route,provider' });
  const gone = {
    routes: { list: () => [] },
    onSettled: () => {},
    onTakenAway: () => {},
    mayRemove: async () => true,
  };
  await eraseAccount({ ...world.app, ...gone }, { account: 'one', name: 'one' }, commandLine);
  const { cost_without_revenue: still } = await assertEqual({ group_by: 'account,day' });
  assert.equal(still, wasted);
  const forget = () => database.transaction((tx) => deleteOldCosts(tx, 10_000));
  assert.equal(await forget(), 0, 'bills may still come');
  await world.elapse(101 * 24 * 60 * 60_000);
  assert.ok((await forget()) > jobs);
});
