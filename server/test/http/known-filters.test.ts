import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { openMember, openOperator } from '../panel/browser.ts';
import { openWebhookWorld } from '../webhooks/support/webhook-world.ts';
import { changeModel } from '../world/change-model.ts';
import { openWorld, type Reply } from '../world/world.ts';
import { assertProblem } from './support/refusal.ts';

const nobody = '01900000-0000-7000-8000-000000000000';

function assertUnknown(reply: Reply, parameter: string, known: RegExp): void {
  assertProblem(reply, 422, 'invalid_request');
  assert.match(
    String(reply.body.detail),
    new RegExp(`^The parameter "${parameter}" (is unknown: |must be one of )`),
  );
  assert.match(String(reply.body.detail), known);
}

suite('a filter takes only what exists, and says what there is', () => {
  test('jobs, of a client', async () => {
    await using world = await openWorld();
    const jobId = await world.create();
    await world.finished(jobId);
    await world.send('PUT', `/jobs/${jobId}/tags/spring`);
    const other = await world.account('other', { creditMicros: 1_000_000n });
    const headers = { authorization: `Bearer ${other.key}` };
    const theirs = await world.create('/nb/text-generations', {}, headers);
    await world.send('PUT', `/jobs/${theirs}/tags/secret`, { headers });
    const batch = await world.send('POST', '/batches', {
      body: { requests: [{ model: 'nb', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } }] },
      headers,
    });
    assert.equal(batch.status, 202);

    for (const [query, known] of [
      ['model=nosuch', /there are nb, nb2, pro\.$/],
      ['status=nosuch', /queued, processing, done, failed/],
      ['tag=nosuch', /there is spring\.$/],
      ['tag=secret', /there is spring\.$/],
      [`key_id=${nobody}`, /panel stands for/],
      [`key_id=${other.keyId}`, /panel stands for/],
      [`key_id=${other.accountId}`, /panel stands for/],
      [`batch_id=${nobody}`, /no such batch/],
      [`batch_id=${batch.body.batch_id}`, /no such batch/],
      ['aspect_ratio=7:7', /there are auto, 1:1, /],
      ['resolution=8K', /there are 1K, 2K, 4K\.$/],
      ['colour=mauve', /black, white/],
    ] as const)
      assertUnknown(await world.send('GET', `/jobs?${query}`), query.split('=', 1)[0] ?? '', known);

    for (const query of [
      'tag=spring',
      'key_id=panel',
      'model=pro',
      'aspect_ratio=auto',
      'resolution=4K',
      'colour=red',
    ])
      assert.equal((await world.send('GET', `/jobs?${query}`)).status, 200, query);
    // PostgreSQL also finds ids that are given in upper case.
    for (const [filter, id] of [
      ['jobs?key_id', other.keyId],
      ['jobs?batch_id', String(batch.body.batch_id)],
      ['usage?key_id', other.keyId],
    ] as const) {
      const path = `/${filter}=${id.toUpperCase()}`;
      assert.equal((await world.send('GET', path, { headers })).status, 200, path);
    }
    await world.send('DELETE', `/jobs/${jobId}/tags/spring`);
    assertUnknown(await world.send('GET', '/jobs?tag=spring'), 'tag', /no job has a tag/);
  });

  test('a removed model, and a ratio that only it had, for as long as jobs have them', async () => {
    await using world = await openWorld({ worker: false });
    await changeModel(world, 'nb', (before) => {
      assert.ok(before?.resolutions['1K']);
      const resolutions = { '1K': { ...before.resolutions['1K'], megapixels: 1 } };
      return { ...before, ratios: [...before.ratios, '3:1'], resolutions };
    });
    const jobId = await world.create('/nb/text-generations', { aspect_ratio: '3:1' });
    await changeModel(world, 'nb', () => null);
    const { status, body } = await world.send('GET', '/jobs?model=nb&aspect_ratio=3:1');
    assert.deepEqual(
      [status, (body.data as { job_id: string }[]).map(({ job_id }) => job_id)],
      [200, [jobId]],
    );
    const other = await world.account('other');
    const headers = { authorization: `Bearer ${other.key}` };
    const theirs = await world.send('GET', '/jobs?aspect_ratio=3:1', { headers });
    assertUnknown(theirs, 'aspect_ratio', /there are auto/);
  });

  test('deliveries, of a client, the administration, the panel and a command', async () => {
    await using webhooks = await openWebhookWorld();
    const { world } = webhooks;
    const set = await world.send('PUT', '/webhooks/default', {
      body: { url: 'https://unreachable.invalid/' },
    });
    assert.equal(set.status, 200);
    const jobId = await webhooks.failJob();
    const [endpoint] = (await world.send('GET', '/webhooks')).body.data as [{ endpoint_id: string }];
    const good = [`job_id=${jobId}`, `endpoint_id=${endpoint.endpoint_id}`, 'status=failed'];
    const wrong = [
      [`job_id=${nobody}`, /no such job/],
      [`endpoint_id=${nobody}`, new RegExp(`there is ${endpoint.endpoint_id}`)],
      ['status=nosuch', /pending, delivered/],
    ] as const;
    const { key } = await makeAdminKey(world, 'shop', ['accounts']);
    const send = adminSender(world, key);
    const member = await openMember(world, { email: 'ada@example.com' });
    for (const query of good) {
      assert.equal((await world.send('GET', `/deliveries?${query}`)).status, 200, query);
      assert.equal((await send('GET', `/accounts/tests/deliveries?${query}`)).status, 200, query);
    }
    for (const query of good.slice(0, 2)) {
      const [name = '', value = ''] = query.split('=');
      const path = `/deliveries?${name}=${value.toUpperCase()}`;
      const { status, body } = await world.send('GET', path);
      assert.deepEqual([status, (body.data as unknown[] | undefined)?.length], [200, 1], path);
    }
    for (const [query, known] of wrong) {
      const [name = '', value = ''] = query.split('=');
      assertUnknown(await world.send('GET', `/deliveries?${query}`), name, known);
      assertUnknown(await send('GET', `/accounts/tests/deliveries?${query}`), name, known);
      const shown = await member.try('GET /api/v1/deliveries', {
        query: { [name]: value },
      });
      assert.equal(shown.status, 422, query);
    }
    assertUnknown(
      await send('GET', '/accounts/tests/deliveries?event_id=evt_1'),
      'event_id',
      /no such event/,
    );
    await assert.rejects(
      webhooks.operations.listDeliveries('tests', { job_id: randomUUID() }),
      /no such job/,
    );

    await world.send('DELETE', `/webhooks/${endpoint.endpoint_id}`);
    const gone = await world.send('GET', `/deliveries?endpoint_id=${endpoint.endpoint_id}`);
    assert.deepEqual(
      [gone.status, (gone.body.data as unknown[]).length],
      [200, 1],
      'its deliveries are kept',
    );
    const other = await world.account('other');
    const headers = { authorization: `Bearer ${other.key}` };
    for (const query of [`job_id=${jobId}`, `endpoint_id=${endpoint.endpoint_id}`]) {
      const { status, body } = await world.send('GET', `/deliveries?${query}`, { headers });
      const missing = await world.send('GET', `/deliveries?${query.replace(/=.*/, `=${nobody}`)}`, {
        headers,
      });
      assert.deepEqual([status, body.detail], [422, missing.body.detail], 'as what does not exist');
    }
  });

  test('jobs and the audit log, of the administration and the panel', async () => {
    await using world = await openWorld();
    await world.finished(await world.create());
    const { key } = await makeAdminKey(world, 'shop', ['accounts', 'system']);
    const send = adminSender(world, key);
    const { keyId } = await world.account('other');
    for (const [path, parameter, known] of [
      ['/jobs?model=nosuch', 'model', /there are nb, nb2, pro/],
      [`/jobs?key_id=${nobody}`, 'key_id', /no key has this id/],
      [`/jobs?account=tests&key_id=${keyId}`, 'key_id', /no key has this id/],
      ['/audit?action=nosuch', 'action', /account\.created, /],
    ] as const)
      assertUnknown(await send('GET', path), parameter, known);
    for (const path of [
      `/jobs?key_id=${keyId}`,
      `/jobs?key_id=${world.accountId}`,
      '/audit?action=account.erased',
    ])
      assert.equal((await send('GET', path)).status, 200, path);

    const member = await openMember(world, { email: 'ada@example.com' });
    const jobs = 'GET /api/v1/jobs';
    for (const query of [{ model: 'nosuch' }, { tag: 'nosuch' }, { key_id: keyId }])
      assert.equal((await member.try(jobs, { query })).status, 422, JSON.stringify(query));
    const usage = 'GET /api/v1/usage';
    assert.equal((await member.try(usage, { query: { group_by: 'status', key_id: keyId } })).status, 422);

    const operator = await openOperator(world);
    const audit = 'GET /admin/v1/audit';
    for (const [query, status] of [
      [{ action: 'nosuch' }, 422],
      [{ account: nobody }, 404],
      [{ account: 'x' }, 404],
      [{ person_id: nobody }, 422],
    ] as const)
      assert.equal((await operator.try(audit, { query })).status, status, JSON.stringify(query));
    const known = { account: world.accountId, action: 'account.erased' };
    assert.deepEqual((await operator.call(audit, { query: known })).data, []);
  });
});
