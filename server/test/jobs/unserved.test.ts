import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ModelDefinition } from '../../src/upstream/catalog/model-definition.ts';
import { doorsUnderTest } from '../doors/conformance-doors.ts';
import { assertRefused } from '../http/support/refusal.ts';
import { readSnapshot } from '../http/support/snapshot.ts';
import { openMember } from '../panel/browser.ts';
import { editImage, email, makeImage, text } from '../panel/support/member.ts';
import { pretendedRoute } from '../routes/support.ts';
import { changeModel } from '../world/change-model.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';

const body = { prompt: 'a fox', aspect_ratio: '1:1' };
const inputUrls = ['https://example.com/nothing-there.png'];

/** `nb2` makes only 1K in two ratios from text, and `nb` makes nothing. */
function openGappy() {
  const [, , pro] = testRoutes(new TestProvider());
  assert.ok(pro);
  const capabilities = { resolutions: ['1K'], ratios: ['1:1', '16:9'], maxInputs: 0 };
  const routes = [pretendedRoute('nb2/small', { capabilities, slots: 0 }), pro];
  return { routes, open: openWorld({ replacements: { routes } }) };
}

suite('a request that no route can serve', () => {
  test('is refused before anything is reserved, with the reason that its quote gives', async () => {
    await using world = await openGappy().open;
    const cases = [
      ['/nb2/text-generations', { resolution: '2K' }, /nb2 that makes 1:1 at 2K from text alone/],
      ['/nb2/text-generations', { aspect_ratio: '8:1' }, /nb2 that makes 8:1 at 1K from text alone/],
      ['/nb2/url-generations', { input_images_urls: inputUrls }, /nb2 that makes .* from 1 input image/],
      ['/nb/text-generations', {}, /nb that makes 1:1 at 1K/],
    ] as const;
    for (const [path, fields, why] of cases) {
      const sent = { ...body, ...fields };
      const refused = await assertRefused(
        world,
        () => world.send('POST', path, { body: sent }),
        503,
        'no_route',
      );
      assert.match(String(refused.body.detail), why);
      assert.equal(refused.headers.get('retry-after'), '30');
      const { body: quoted } = await world.send('POST', `${path}?dry_run=true`, { body: sent });
      assert.deepEqual([quoted.accepted, quoted.reasons], [false, ['no_route']]);
    }
    await world.create('/nb2/text-generations', { aspect_ratio: '16:9', resolution: '1K' });

    const of = (fields: object) => ({ model: 'nb2', mode: 'text', body: { ...body, ...fields } });
    const requests = [of({}), of({ resolution: '4K' })];
    const batch = () => world.send('POST', '/batches', { body: { requests } });
    const refused = await assertRefused(world, batch, 503, 'no_route');
    assert.match(String(refused.body.detail), /^\/requests\/1: This installation .* Nothing was accepted\.$/);
    assert.equal((refused.body.errors as { pointer: string }[])[0]?.pointer, '/requests/1');
  });

  test('is refused by the panel and by every API', async () => {
    await using world = await openGappy().open;
    const browser = await openMember(world, { email });
    const before = await readSnapshot(world);
    const { status, body: told } = await browser.try(makeImage, text);
    assert.deepEqual([status, told.code], [503, 'no_route']);
    for (const door of doorsUnderTest) {
      const answer = await door.make(world, { prompt: 'a fox', model: 'nb' });
      assert.equal(answer.made, false, door.name);
      assert.match(answer.words, /This installation has no image model for nb that makes/, door.name);
    }
    assert.deepEqual(await readSnapshot(world), before);
  });

  test('is recognized once the inputs are there, if the ratio comes from them or the panel has them already', async () => {
    const { routes, open } = openGappy();
    await using world = await open;
    const wide = await world.finished(await world.create('/text-generations', { aspect_ratio: '21:9' }));
    routes[0] = pretendedRoute('nb2/square', { capabilities: { ratios: ['1:1'], maxInputs: 1 }, slots: 0 });
    const { image_url: url } = wide.result as { image_url: string };
    const edit = { body: { ...body, aspect_ratio: 'auto', input_images_urls: [url] } };
    const create = () => world.send('POST', '/nb2/url-generations', edit);
    const { body: refused } = await assertRefused(world, create, 503, 'no_route');
    assert.match(String(refused.detail), /nb2 that makes 21:9 at 1K from 1 input image/);
    const requests = [{ model: 'nb2', mode: 'url', body: edit.body }];
    const batch = () => world.send('POST', '/batches', { body: { requests } });
    await assertRefused(world, batch, 503, 'no_route');

    const browser = await openMember(world, { email });
    const draw = (own: string[]) =>
      browser.try(editImage, { ...text, body: { ...body, input_images_urls: own } });
    const drawn = await draw([url]);
    assert.equal(drawn.status, 202);
    const before = await readSnapshot(world);
    const two = await draw([url, url]);
    assert.deepEqual([two.status, two.body.code], [503, 'no_route']);
    assert.deepEqual(await readSnapshot(world), before);

    const again = (query: string) => world.send('POST', `/jobs/${drawn.body.job_id}/again${query}`);
    assert.equal((await again('?dry_run=true')).body.accepted, true);
    routes[0] = pretendedRoute('nb2/blind', { capabilities: { maxInputs: 0 }, slots: 0 });
    const { body: quoted } = await again('?dry_run=true');
    assert.deepEqual([quoted.accepted, quoted.reasons], [false, ['no_route']]);
    await assertRefused(world, () => again(''), 503, 'no_route');
  });

  test('does not affect the repetition of an accepted request', async () => {
    const { routes, open } = openGappy();
    await using world = await open;
    const headers = { 'idempotency-key': 'before-the-route-went' };
    const jobId = await world.create('/nb2/text-generations', {}, headers);
    routes.splice(0, 1);
    const again = await world.send('POST', '/nb2/text-generations', { body, headers });
    assert.deepEqual([again.status, again.body.job_id], [202, jobId]);
    await assertRefused(world, () => world.send('POST', '/nb2/text-generations', { body }), 503, 'no_route');
  });
});

suite('a process that only serves the API', () => {
  const small = (routes: ModelDefinition['routes']) => (before: ModelDefinition | null) =>
    before && { ...before, routes: routes ?? [] };

  test('knows without any provider key what the workers’ routes can make', async () => {
    await using world = await openWorld({ worker: false, ownRoutes: true });
    await changeModel(world, 'nb2', small([{ provider: 'gemini', model: 'gemini-2.5-flash-image' }]));
    const create = (fields: object) =>
      world.send('POST', '/nb2/text-generations', { body: { ...body, ...fields } });
    assert.equal((await create({ resolution: '1K' })).status, 202);
    await assertRefused(world, () => create({ resolution: '4K' }), 503, 'no_route');
    await changeModel(world, 'nb2', small([]));
    await assertRefused(world, () => create({}), 503, 'no_route');
  });

  test('refuses no request for a connection that workers may have', async () => {
    await using world = await openWorld({ worker: false, ownRoutes: true });
    await changeModel(world, 'nb2', small([{ connection: 'of-the-workers', model: 'sd' }]));
    await world.create('/nb2/text-generations', { resolution: '4K' });
  });
});
