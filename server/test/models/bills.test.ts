import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNow } from '../../src/base/db/rows.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { eventually } from '../http/support/requests.ts';
import { openOperator } from '../panel/browser.ts';
import { TestProvider } from '../world/provider.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld, type World } from '../world/world.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

interface Line {
  day: string;
  model: string;
  quantity: number;
  micros: number;
  last: number;
}

/** An upstream that charges for everything it worked on, and writes fal's bill. */
class Vendor extends TestProvider {
  override readonly id: string = 'fal';
  override readonly model: string;
  readonly #bill: Map<string, Line>;
  readonly #priceMicros: number | undefined;
  today = '';
  /** Delays some requests until it resolves. */
  late = Promise.resolve();
  #next: number;

  constructor(model: string, bill: Map<string, Line>, priceMicros?: number) {
    super();
    this.model = model;
    this.#bill = bill;
    this.#priceMicros = priceMicros;
    this.#next = model.length;
    this.handler = async (request, { attempt, onCharge }) => {
      const day = this.today;
      if (request.prompt === 'late') await this.late;
      const lost = request.prompt.endsWith('lost') && attempt === 1;
      if (lost && request.prompt.startsWith('free')) throw failure('timeout', { sent: true });
      this.#next = (this.#next * 48_271) % 2_147_483_647;
      const micros = this.#priceMicros ?? 1_000 + (this.#next % 90_001);
      this.#charge(day, micros);
      if (lost) throw failure('timeout', { sent: true });
      if (this.#priceMicros === undefined) onCharge({ used: { unit: micros / 10_000 } });
      if (request.prompt.endsWith('blocked')) throw failure('safety_blocked');
      return this.answer(request);
    };
  }

  #charge(day: string, micros: number): void {
    const key = `${day} ${this.model}`;
    const line = this.#bill.get(key) ?? { day, model: this.model, quantity: 0, micros: 0, last: 0 };
    const more = { quantity: line.quantity + 1, micros: line.micros + micros, last: micros };
    this.#bill.set(key, { ...line, ...more });
  }
}

function write(lines: readonly Line[]): string {
  const days = [...Map.groupBy(lines, ({ day }) => day)].map(([day, own]) => ({
    bucket: `${day}T00:00:00Z`,
    results: own.map(({ model, quantity, micros }) => ({
      ...{ endpoint_id: model, unit: 'image', quantity, unit_price: micros / quantity / 1e6 },
      ...{ cost: micros / 1e6, currency: 'USD' },
    })),
  }));
  return JSON.stringify({ time_series: days, next_cursor: null, has_more: false });
}

async function nowOf(world: World): Promise<number> {
  return readNow(world.app.database.read);
}

async function toTime(world: World, timeMs: number): Promise<string> {
  const now = await nowOf(world);
  await world.elapse((timeMs - (now % dayMs) + dayMs) % dayMs);
  return new Date(await nowOf(world)).toISOString().slice(0, 10);
}

test('in a bill with ten mistakes all ten are found, with their attempts, and in a correct bill none', async () => {
  const bill = new Map<string, Line>();
  const vendors = {
    nb: new Vendor('fal-ai/flux-2', bill),
    nb2: new Vendor('fal-ai/nano-banana-2', bill),
    pro: new Vendor('fal-ai/nano-banana-pro', bill, 50_000),
  };
  const routes = Object.entries(vendors).flatMap(([model, provider]) =>
    ['first', 'second'].map((name) => ({
      ...{ id: `${model}/${name}`, model, provider, slots: 40, timeoutMs: 60_000 },
      ...(model === 'pro' && { cost: '0.05' }),
    })),
  );
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  for (const { model } of [vendors.nb, vendors.nb2])
    await operator.call('PATCH /admin/v1/rates', {
      body: { provider: 'fal', model, rates: { unit: '0.01' } },
    });
  const make = async (model: string, prompts: string[]) => {
    const made = await Promise.all(
      prompts.map((prompt) => world.create(`/${model}/text-generations`, { prompt })),
    );
    for (const id of made) await world.finished(id);
  };
  const days: string[] = [];
  const open = (day: string) => {
    days.push(day);
    for (const vendor of Object.values(vendors)) vendor.today = day;
  };
  for (let index = 0; index < 5; index += 1) {
    open(await toTime(world, 10 * hourMs));
    await make('nb', ['a fox', 'an owl', 'a bear', 'blocked', ...Array(index).fill('a cat')]);
    await make('nb2', ['a fox', 'an owl', 'a bear', 'blocked']);
    if (index !== 2) await make('pro', ['a fox', 'lost', 'an owl', 'free lost']);
    // An attempt that runs at midnight is billed on the day of its start. The clock is held, so that it starts before.
    await using _held = await world.hold();
    await toTime(world, dayMs - 4_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    vendors.nb.late = promise;
    const late = await world.create('/nb/text-generations', { prompt: 'late' });
    await eventually(
      async () => vendors.nb.requests.at(-1)?.request.prompt,
      (prompt) => prompt === 'late',
    );
    await world.elapse(8_000);
    resolve();
    await world.finished(late);
  }
  const check = (lines: readonly Line[]) =>
    operator.call('POST /admin/v1/costs/check', { body: { file: write(lines) } });

  const right = [...bill.values()];
  const agreed = await check(right);
  assert.deepEqual(agreed.differences, []);
  assert.deepEqual(agreed.unmatched, []);
  assert.equal(agreed.agreed, right.length);
  assert.deepEqual([agreed.provider, agreed.from, agreed.to], ['fal', days[0], days.at(-1)]);

  const at = (index: number, model: keyof typeof vendors) => `${days[index]} ${vendors[model].model}`;
  const change = (key: string, quantity: number, micros: number) => {
    const line = bill.get(key) ?? assert.fail(key);
    bill.set(key, { ...line, quantity: line.quantity + quantity, micros: line.micros + micros });
  };
  const lastOf = (key: string) => bill.get(key)?.last ?? assert.fail(key);
  const missing = [at(1, 'nb2'), at(3, 'pro')];
  for (const key of missing) bill.delete(key);
  const never = at(2, 'pro');
  bill.set(never, { day: days[2] ?? '', model: vendors.pro.model, quantity: 3, micros: 150_000, last: 0 });
  const twice = [at(0, 'nb2'), at(4, 'pro')];
  change(twice[0] ?? '', 1, lastOf(twice[0] ?? ''));
  change(twice[1] ?? '', 3, 150_000);
  const lost = [at(2, 'nb2'), at(4, 'nb2')];
  const lostMicros = lost.map(lastOf);
  for (const key of lost) change(key, -1, -lastOf(key));
  const dearer = at(3, 'nb2');
  change(dearer, 0, 5);
  const cheaper = at(0, 'pro');
  change(cheaper, 0, -60_000);
  const others = { day: days[1] ?? '', model: 'fal-ai/upscaler', quantity: 7, micros: 70_000, last: 0 };
  bill.set('others', others);

  const found = await check([...bill.values()]);
  const differs = new Map(found.differences.map((one) => [`${one.day} ${one.upstream_model}`, one]));
  assert.deepEqual(Object.fromEntries([...differs].map(([key, one]) => [key, one.differs])), {
    ...Object.fromEntries(missing.map((key) => [key, ['not_on_bill']])),
    [never]: ['not_noted'],
    ...Object.fromEntries([...twice, ...lost].map((key) => [key, ['count', 'amount']])),
    ...Object.fromEntries([dearer, cheaper].map((key) => [key, ['amount']])),
  });
  assert.deepEqual(found.unmatched, [{ model: 'fal-ai/upscaler', count: 7, amount: '0.07' }]);
  for (const [index, key] of lost.entries())
    assert.equal(
      Number(differs.get(key)?.attempts[0]?.cost) * 1e6,
      lostMicros[index],
      'just that one is missing',
    );
  for (const key of missing) assert.equal(differs.get(key)?.bill, null);
  const [first] = differs.get(twice[1] ?? '')?.attempts ?? [];
  assert.deepEqual(first?.billed, 'unknown', 'what may have been billed comes first');
});

test('a check of some days says nothing about other days of the bill, and its errors name their field', async () => {
  const provider = new Vendor('fal-ai/flux-2', new Map());
  const routes = [{ id: 'nb/first', model: 'nb', provider, slots: 4, timeoutMs: 60_000, cost: '0.05' }];
  await using world = await openWorld({ replacements: { routes } });
  const operator = await openOperator(world);
  await toNoon(world);
  await world.finished(await world.create('/nb/text-generations', { prompt: 'a fox' }));
  const now = await nowOf(world);
  const dayAgo = (days: number) => new Date(now - days * dayMs).toISOString().slice(0, 10);
  const [today, other] = [dayAgo(0), dayAgo(3)];
  const file = write([
    { day: other, model: 'fal-ai/upscaler', quantity: 1, micros: 70_000, last: 0 },
    { day: today, model: 'fal-ai/flux-2', quantity: 1, micros: 50_000, last: 0 },
  ]);
  const check = (from: string, to: string) =>
    operator.call('POST /admin/v1/costs/check', { body: { file, from, to } });
  const late = await check(today, today);
  assert.deepEqual([late.agreed, late.differences, late.unmatched], [1, [], []]);
  const early = await check(other, other);
  assert.deepEqual(early.unmatched, [{ model: 'fal-ai/upscaler', count: 1, amount: '0.07' }]);

  const refusal = async (from: string, to: string) => {
    const reply = await operator.try('POST /admin/v1/costs/check', { body: { file, from, to } });
    return reply.text;
  };
  assert.match(await refusal(dayAgo(150), dayAgo(140)), /"pointer":"\/from","detail":"begins on/);
  assert.match(await refusal(today, other), /"pointer":"\/from","detail":"must not be after/);
});
