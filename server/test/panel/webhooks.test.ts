import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { DeliveryRow } from '../../src/web/panel/contract.ts';
import { answerWith, startReceiver } from '../webhooks/support/receiver.ts';
import { openWorld } from '../world/world.ts';
import { type Browser, openMember, openOperator } from './browser.ts';

suite('webhooks in the panel', () => {
  test('endpoints are added, changed and removed; each has its own secret, which is shown on demand and rotated', async () => {
    await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
    const member = await openMember(world, { email: 'ada@example.com' });
    const add = 'POST /api/v1/webhooks';
    const bad = await member.try(add, { body: { url: 'ftp://example.com/', events: null } });
    assert.equal(bad.status, 422);
    const first = await member.call(add, { body: { url: 'https://example.com/hook', events: null } });
    assert.deepEqual([first.is_default, first.events, first.enabled], [true, null, true]);
    const again = await member.try(add, { body: { url: 'https://example.com/hook', events: null } });
    assert.equal(again.status, 422, 'an address gets every event once');
    const second = await member.call(add, {
      body: { url: 'https://example.com/failures', events: ['job.failed'] },
    });
    assert.deepEqual([second.is_default, second.events], [false, ['job.failed']]);

    const reveal = async (endpoint_id: string) => {
      const call = 'POST /api/v1/webhooks/:endpoint_id/reveal';
      return (await member.call(call, { params: { endpoint_id } })).secrets;
    };
    const [secret] = await reveal(first.endpoint_id);
    assert.match(secret?.secret ?? '', /^whsec_/);
    assert.equal(first.secret_hint.slice(-4), secret?.secret.slice(-4));
    assert.deepEqual(await reveal('default'), [secret], 'the account signs for its default endpoint');
    assert.notDeepEqual(await reveal(second.endpoint_id), [secret], 'others have their own');
    const rotated = await member.call('POST /api/v1/webhooks/:endpoint_id/rotate', {
      params: { endpoint_id: second.endpoint_id },
      body: { leaked: false },
    });
    assert.equal(rotated.secrets.length, 2);
    assert.deepEqual(await reveal(first.endpoint_id), [secret], 'and keep it when another one is rotated');

    const params = { endpoint_id: second.endpoint_id };
    const change = 'PATCH /api/v1/webhooks/:endpoint_id';
    const off = await member.call(change, { params, body: { enabled: false, events: null } });
    assert.deepEqual([off.enabled, off.disabled_reason, off.events], [false, 'manual', null]);
    await member.call('DELETE /api/v1/webhooks/:endpoint_id', { params });
    assert.equal((await member.try(change, { params, body: { enabled: true } })).status, 404);
    const { data: left } = await member.call('GET /api/v1/webhooks');
    assert.deepEqual(
      left.map(({ url }) => url),
      ['https://example.com/hook'],
    );
    assert.deepEqual(await member.call('GET /api/v1/deliveries'), {
      data: [],
      next_cursor: null,
    });

    const operator = await openOperator(world);
    const { data: audited } = await operator.call('GET /admin/v1/audit', {
      query: { account: world.accountId },
    });
    assert.deepEqual(
      audited.map(({ action }) => action),
      [
        'webhook.removed',
        'webhook.changed',
        'webhook.secret_revealed',
        'webhook.secret_rotated',
        ...Array(3).fill('webhook.secret_revealed'),
        'webhook.added',
        'webhook.added',
      ],
    );
  });

  test('a burst of tests reaches a host only a few at a time', async () => {
    let most = 0;
    let open = 0;
    const statuses: number[] = [];
    const enough = Promise.withResolvers<void>();
    const settle = () => void (statuses.length + open === 40 && enough.resolve());
    const server = createServer(async (_request, response) => {
      most = Math.max(most, ++open);
      settle();
      await enough.promise;
      open -= 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // listening on TCP
    await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
    const member = await openMember(world, { email: 'ada@example.com' });
    const body = { url: `http://127.0.0.1:${port}/hook`, events: null };
    const { endpoint_id } = await member.call('POST /api/v1/webhooks', { body });
    const call = 'POST /api/v1/webhooks/:endpoint_id/test';
    const sendTest = () => member.try(call, { params: { endpoint_id } });
    const sent = Array.from({ length: 40 }, async () => {
      statuses.push((await sendTest()).status);
      settle();
    });
    await Promise.all(sent);
    assert.deepEqual([most, statuses.filter((status) => status === 429).length], [4, 36]);
    const after = await sendTest();
    assert.equal(after.status, 200, 'places are given back');
    server.close();
  });

  test('deliveries are listed with their attempts, shown with their job, and sent again on demand', async () => {
    await using receiver = await startReceiver();
    await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
    const member = await openMember(world, { email: 'ada@example.com' });
    await world.finished(await world.create());
    const { endpoint_id } = await member.call('POST /api/v1/webhooks', {
      body: { url: receiver.url, events: null },
    });
    const endpoint = { params: { endpoint_id } };
    const tested = await member.call('POST /api/v1/webhooks/:endpoint_id/test', endpoint);
    assert.deepEqual([tested.failure, receiver.received.length], [null, 1]);

    const job_id = await world.create();
    await receiver.got(2);
    const delivery = await delivered(member, job_id);
    assert.deepEqual(
      [delivery.status, delivery.type, delivery.attempts, delivery.url],
      ['delivered', 'job.done', 1, receiver.url],
    );
    const { hours } = await member.call('GET /api/v1/webhooks/:endpoint_id', endpoint);
    const [hour] = hours.filter(({ attempts }) => attempts > 0);
    assert.deepEqual([hours.length, hour?.attempts, hour?.failed], [72, 1, 0], 'tests are not counted');
    assert.equal(typeof hour?.p50_ms, 'number');
    const params = { delivery_id: delivery.delivery_id };
    const detail = await member.call('GET /api/v1/deliveries/:delivery_id', { params });
    assert.equal(JSON.parse(detail.body).data.job_id, job_id);
    assert.equal(detail.history[0]?.failure, null);
    const job = await member.call('GET /panel/accounts/:account_id/jobs/:job_id', { params: { job_id } });
    assert.deepEqual(
      job.deliveries?.map(({ delivery_id }) => delivery_id),
      [delivery.delivery_id],
    );

    const since = new Date(world.clock.nowMs() - 3_600_000).toISOString();
    const failed = () => member.call('GET /api/v1/deliveries/replay', { query: { from: since } });
    assert.deepEqual(await failed(), { count: 0 }, 'what came before the webhook was never tried');
    const tryAll = { body: { pending: true } };
    const nothing = await member.call('POST /api/v1/deliveries/replay', tryAll);
    assert.deepEqual(nothing, { replayed: 0 }, 'nothing waits');

    const replayed = await member.call('POST /api/v1/deliveries/:delivery_id/replay', {
      params,
    });
    assert.equal(replayed.event_id, delivery.event_id);
    await receiver.got(3);
    await delivered(member, job_id);
    const replayFailed = () =>
      member.call('POST /api/v1/deliveries/replay', {
        body: { from: since, tried: true },
      });
    assert.deepEqual(await replayFailed(), { replayed: 0 });

    receiver.answer = answerWith(500);
    const later = await world.create();
    await receiver.got(4);
    const waiting = await waitingFor(member, later);
    receiver.answer = answerWith(204);
    const triedNow = await member.call('POST /api/v1/deliveries/:delivery_id/replay', {
      params: { delivery_id: waiting.delivery_id },
    });
    assert.equal(triedNow.delivery_id, waiting.delivery_id, 'no other is made while one waits');
    await receiver.got(5);
    assert.equal((await delivered(member, later)).attempts, 2);

    receiver.answer = answerWith(410);
    await world.create();
    await receiver.got(6);
    const change = 'PATCH /api/v1/webhooks/:endpoint_id';
    const isDisabled = async () =>
      (await member.call(change, { ...endpoint, body: {} })).disabled_at !== null;
    while (!(await isDisabled())) await setImmediate();
    receiver.answer = answerWith(204);
    await member.call(change, { ...endpoint, body: { enabled: true } });
    assert.deepEqual(await failed(), { count: 1 });
    assert.deepEqual(await replayFailed(), { replayed: 1 });
    await receiver.got(7);
    assert.equal(
      (
        await member.try('GET /api/v1/deliveries/:delivery_id', {
          params: { delivery_id: `dlv_${'0'.repeat(32)}` },
        })
      ).status,
      404,
    );
  });
});

/** The newest delivery of a job, once its attempt is recorded, which happens a moment after the receiver's answer. */
async function delivered(member: Browser, job_id: string): Promise<DeliveryRow> {
  for (;;) {
    const { data } = await member.call('GET /api/v1/deliveries', { query: { job_id } });
    const [newest] = data;
    if (newest && newest.status !== 'pending') return newest;
    await setImmediate();
  }
}

async function waitingFor(member: Browser, job_id: string): Promise<DeliveryRow> {
  for (;;) {
    const { data } = await member.call('GET /api/v1/deliveries', { query: { job_id } });
    const [newest] = data;
    if (newest?.attempts === 1) return newest;
    await setImmediate();
  }
}
