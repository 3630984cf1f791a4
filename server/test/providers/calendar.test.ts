import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { configuredRoute } from '../../src/jobs/routes/report-routes.ts';
import { checkCalendar } from '../../src/start/doctor/check-calendar.ts';
import { calendar, type DatedModel, endOf } from '../../src/upstream/calendar/model-end.ts';
import { probeConnection } from '../../src/upstream/providers/probe-connection.ts';
import { providerKinds, providers } from '../../src/upstream/providers/providers.ts';
import { bedrockKey, startBedrock } from '../emulators/bedrock.ts';
import { guard } from './requests.ts';

const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
const image15: DatedModel = { provider: 'openai', upstream: 'gpt-image-1.5' };

test('from thirty days before a model ends, a notice names the day, its successor and the price, and later that it has ended', () => {
  assert.equal(endOf(image15, at('2026-10-31')), null);
  const soon = endOf(image15, at('2026-11-24'));
  assert.deepEqual([soon?.on, soon?.over], ['2026-12-01', false]);
  assert.match(
    soon?.notice ?? '',
    /ends on 2026-12-01, in 7 days\. gpt-image-2\.6-sunburst or .* follows it\..* 30 USD .*https:/,
  );
  assert.match(endOf(image15, at('2026-12-01') - 1)?.notice ?? '', /in 1 day\./);
  const over = endOf(image15, at('2026-12-01'));
  assert.equal(over?.over, true);
  assert.match(over?.notice ?? '', /ended on 2026-12-01/);
});

test('other servers’ models may have the same names, and unknown models have no end', () => {
  const now = at('2027-06-01');
  assert.equal(endOf({ ...image15, isElsewhere: true }, now), null);
  const settings = { model: 'gpt-image-1.5', baseUrl: 'https://eu.api.openai.com/v1' };
  const own = { id: 'nb2/eu', model: 'nb2', slots: 1, timeoutMs: 1, provider: 'openai', settings } as const;
  assert.equal(endOf(configuredRoute(own), now)?.over, true);
  const home = { ...settings, baseUrl: 'http://127.0.0.1:8080/v1' };
  assert.equal(endOf(configuredRoute({ ...own, settings: home }), now), null);
  assert.equal(endOf({ provider: 'openai', upstream: 'gpt-image-2.6-flare' }, now), null);
  assert.equal(endOf({ provider: 'azure', upstream: null }, now), null);
});

test('each row has days in order and a source, and recommends no model that has itself ended', () => {
  for (const { provider, models, from, deprecated, ends, next, source, read } of calendar) {
    const days = [from, deprecated, ends].flatMap((day) => day ?? []);
    for (const day of [...days, read]) assert.equal(new Date(at(day)).toISOString().slice(0, 10), day);
    assert.deepEqual(days, days.toSorted(), models.join());
    assert.ok(URL.canParse(source));
    for (const upstream of next?.split(' or ') ?? [])
      assert.equal(endOf({ provider, upstream }, at(read)), null, `${models.join()} → ${upstream}`);
  }
});

test('the guide lists every end, with what follows it', async () => {
  const guide = await readFile(new URL('../../../docs/providers/calendar.md', import.meta.url), 'utf8');
  const lines = guide.split('\n').filter((line) => line.startsWith('|'));
  for (const { models, ends, next } of calendar)
    for (const model of ends === undefined ? [] : models) {
      const line = lines.find((one) => one.includes(ends ?? '') && one.includes(`\`${model}\``));
      assert.ok(line, `${model} ends on ${ends}`);
      for (const follower of next?.split(' or ') ?? []) assert.ok(line.includes(`\`${follower}\``), follower);
    }
});

test('no default route leads to a model that ends', () => {
  const newest =
    calendar
      .map(({ read }) => read)
      .toSorted()
      .at(-1) ?? '';
  for (const provider of providerKinds)
    for (const route of Object.values(providers[provider].routes?.(undefined) ?? {}).flat()) {
      const upstream = 'model' in route && typeof route.model === 'string' ? route.model : null;
      assert.equal(endOf({ provider, upstream }, at(newest)), null, `${provider} ${upstream}`);
    }
});

test('a connection lists a model that ends with a notice, and a removed one not at all', async () => {
  await using emulator = await startBedrock();
  const nova = 'amazon.nova-canvas-v1:0';
  const listed = async (day: string) => {
    const details = { provider: 'bedrock', baseUrl: emulator.url, key: bedrockKey } as const;
    const result = await probeConnection(details, guard, undefined, at(day));
    assert.ok(result.ok);
    return result.models;
  };
  assert.equal((await listed('2026-08-01')).find(({ id }) => id === nova)?.notice, undefined);
  assert.match(
    (await listed('2026-09-15')).find(({ id }) => id === nova)?.notice ?? '',
    /ends on 2026-09-30/,
  );
  const left = await listed('2026-11-24');
  assert.ok(left.length > 0 && left.every(({ id }) => id !== nova));
});

test('the doctor warns of routes whose model ends, and reports a failure once it is gone', () => {
  const route = configuredRoute({
    id: 'nb2/openai',
    model: 'nb2',
    slots: 1,
    timeoutMs: 1000,
    provider: 'openai',
    settings: { model: 'gpt-image-1-mini' },
  });
  assert.deepEqual(checkCalendar([route], at('2026-10-01')), []);
  const [soon] = checkCalendar([route], at('2026-11-24'));
  assert.deepEqual([soon?.name, soon?.status], ['calendar', 'warn']);
  assert.match(`${soon?.found} ${soon?.next}`, /^nb2\/openai: gpt-image-1-mini ends .* weight/);
  assert.equal(checkCalendar([route], at('2026-12-01'))[0]?.status, 'fail');
});
