import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readNow } from '../../src/base/db/rows.ts';
import { openOperator as openOperations } from '../world/commands.ts';
import { openWorld, type World } from '../world/world.ts';
import { Browser, openMember, openOperator, password, tokenOf } from './browser.ts';
import { makeImage, text } from './support/member.ts';

suite('operators', () => {
  test('create and credit an account, and invite its first member, who sees nothing else', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const account = await operator.call('POST /admin/v1/accounts', {
      body: { name: 'Acme', credit: '5' },
    });
    assert.deepEqual([account.balance, account.members], ['5.00', 0]);
    const params = { account_id: account.account_id };
    assert.equal(
      (
        await operator.call('POST /admin/v1/accounts/:account/credits', {
          params,
          body: { amount: '2.5', reason: 'invoice 7' },
        })
      ).balance,
      '7.50',
    );
    assert.equal(
      (
        await operator.try('POST /admin/v1/accounts/:account/credits', {
          params,
          body: { amount: '-1', reason: 'x' },
        })
      ).status,
      422,
    );
    assert.equal(
      (
        await operator.try('POST /admin/v1/accounts/:account/credits', {
          params,
          body: { amount: '1', reason: ' ' },
        })
      ).status,
      422,
    );

    const { url } = await operator.call('POST /api/v1/invitations', {
      params,
      body: { note: 'for Grace' },
    });
    const grace = new Browser(world);
    const info = await grace.call('POST /panel/links/look', { body: { token: tokenOf(url) } });
    assert.deepEqual([info.kind, info.account_name, info.role], ['invitation', 'Acme', 'member']);
    const unready = await grace.try('POST /panel/links/open', {
      body: { token: tokenOf(url), email: 'grace@example.com', password: 'short' },
    });
    assert.equal(unready.status, 422, 'and the invitation is still good');
    const session = await grace.call('POST /panel/links/open', {
      body: { token: tokenOf(url), name: 'Grace', email: 'Grace@example.com', password },
    });
    assert.deepEqual([session.operator, session.accounts.map(({ name }) => name)], [false, ['Acme']]);
    assert.equal(
      (
        await new Browser(world).try('POST /panel/links/open', {
          body: { token: tokenOf(url), email: 'eve@example.com', password },
        })
      ).status,
      403,
    );

    assert.equal((await operator.call('GET /admin/v1/accounts/:account', { params })).members, 1);
    const members = await operator.call('GET /api/v1/members', { params });
    assert.deepEqual(
      members.data.map(({ email }) => email),
      ['grace@example.com'],
    );
    const invitations = await operator.call('GET /api/v1/invitations', { params });
    assert.deepEqual(invitations.data, []);
    assert.deepEqual(
      (await operator.call('GET /admin/v1/accounts', { query: { q: 'acm' } })).data.map(({ name }) => name),
      ['Acme'],
    );
    for (const [search, names] of [
      ['%', []],
      [account.account_id, ['Acme']],
    ] as const) {
      const { data } = await operator.call('GET /admin/v1/accounts', { query: { q: search } });
      assert.deepEqual(
        data.map(({ name }) => name),
        names,
      );
    }
  });

  test('start in the account with the latest entry, until they make an image themselves', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const last = async () => (await operator.call('GET /panel/session')).last_account_id;
    const busy = await world.account('zebra', { creditMicros: 5_000_000n });
    assert.equal(await last(), busy.accountId);
    const { job_id } = await operator.call(makeImage, text);
    await world.finished(job_id);
    await world.account('yak', { creditMicros: 5_000_000n });
    assert.equal(await last(), world.accountId);
  });

  test('a disabled account makes nothing new, keeps its running jobs, and can be viewed', async () => {
    await using world = await openWorld({ worker: false });
    const operator = await openOperator(world);
    const member = await openMember(world, { email: 'ada@example.com' });
    await world.create();
    const disable = 'POST /admin/v1/accounts/:account/disable';
    assert.equal((await operator.try(disable, { body: { reason: ' ' } })).status, 422);
    await operator.call(disable, { body: { reason: 'unpaid' } });
    world.clock.advance(2_000); // after the second for which a process caches a key
    assert.equal((await world.send('GET', '/balance')).status, 401);
    for (const person of [member, operator]) {
      const refused = await person.try(makeImage, text);
      assert.deepEqual([refused.status, refused.body.code], [403, 'account_disabled']);
    }
    const overview = await member.call('GET /panel/accounts/:account_id/overview');
    assert.deepEqual([overview.problems[0]?.kind, overview.queue.queued], ['account_disabled', 1]);

    await operator.call('POST /admin/v1/accounts/:account/enable');
    world.clock.advance(2_000);
    assert.equal((await world.send('GET', '/balance')).status, 200);
  });

  test('pause a model with a reason and an end, see its queue and routes, and resume it', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const params = { scope: 'nb2' };
    const readNb2 = async () => {
      const { models } = await operator.call('GET /panel/operator/models');
      return models.find(({ model }) => model.id === 'nb2');
    };
    const earliest = (await readNow(world.app.database.read)) + 3_600_000;
    await operator.call('PUT /admin/v1/pauses/:scope', { params, body: { reason: 'upgrade', for: 3600 } });
    const nb2 = await readNb2();
    assert.deepEqual([nb2?.pause?.reason, nb2?.routes[0]?.route], ['upgrade', 'nb2/test']);
    const until = Date.parse(nb2?.pause?.until ?? '');
    assert.ok(until >= earliest && until < earliest + 60_000);
    const refused = await world.send('POST', '/nb2/text-generations', {
      body: { prompt: 'x', aspect_ratio: '1:1' },
    });
    assert.deepEqual([refused.status, refused.body.code], [503, 'model_paused']);
    const health = await operator.call('POST /admin/v1/routes/:route/check', {
      params: { route: 'nb2/test' },
    });
    assert.equal(health.ok, true);
    await operator.call('DELETE /admin/v1/pauses/:scope', { params });
    assert.equal((await readNb2())?.pause, null);
    await world.finished(await world.create());
    const other = { params: { scope: 'other' }, body: {} };
    const unknown = await operator.try('PUT /admin/v1/pauses/:scope', other);
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'invalid_request']);
  });

  test('a process without workers lists every route by its own id, with the workers’ state of it', async () => {
    const route = { model: 'pro', provider: 'sketch', settings: {}, slots: 2, timeoutMs: 60_000 } as const;
    const routes = [
      { ...route, id: 'pro/sketch' },
      { ...route, id: 'pro/long' },
    ];
    await using world = await openWorld({ worker: false, config: { routes } });
    const operator = await openOperator(world);
    const jobId = await world.create('/text-generations');
    const claimed = { status: 'processing', worker: 'elsewhere', route: 'pro/long', attempt: 1 } as const;
    await world.app.database.transaction((tx) =>
      tx
        .updateTable('jobs')
        .set({ ...claimed, started_at: world.clock.nowMs() })
        .where('id', '=', jobId)
        .execute(),
    );
    const { models } = await operator.call('GET /panel/operator/models');
    assert.deepEqual(
      models
        .find(({ model }) => model.id === 'pro')
        ?.routes.map(({ route, provider, upstream_model, running }) => [
          route,
          provider,
          upstream_model,
          running,
        ]),
      [
        ['pro/sketch', 'sketch', 'sketch-1', 0],
        ['pro/long', 'sketch', 'sketch-1', 1],
      ],
    );
  });

  test('a changed pause keeps its beginning, and one that had ended begins again', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const pause = async (reason: string, seconds?: number) => {
      const body = { reason, ...(seconds && { for: seconds }) };
      await operator.call('PUT /admin/v1/pauses/:scope', { params: { scope: 'project' }, body });
      const { project_pause: begun } = await operator.call('GET /panel/operator/models');
      return Date.parse(begun?.since ?? '');
    };
    const first = await pause('upgrade');
    await world.elapse(60_000);
    assert.equal(await pause('a longer upgrade', 60), first);
    await world.elapse(120_000);
    assert.ok((await pause('another one')) >= first + 180_000);
  });

  test('a credit that is repeated under its key is given once, even if both requests come at once', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const call = 'POST /admin/v1/accounts/:account/credits';
    const headers = { 'idempotency-key': 'invoice-7' };
    const body = { amount: '2.50', reason: 'invoice 7' };
    const params = { account_id: world.accountId };
    const ask = (more: object) => operator.try(call, { params, headers, body: { ...body, ...more } });
    const replies = await Promise.all([1, 2, 3, 4].map(() => ask({})));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201, 201, 201],
    );
    const other = await ask({ amount: '3' });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
    assert.equal((await world.balance()).balance, '102.50');
    const { data } = await operator.call('GET /admin/v1/audit', {
      query: { action: 'account.credited' },
    });
    assert.equal(data.length, 1);
    await operator.call(call, { params, body });
    assert.equal((await world.balance()).balance, '105.00', 'without a key, each is a credit of its own');
  });

  test('an account whose creation is repeated under its key is created once, with one credit', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const call = 'POST /admin/v1/accounts';
    const headers = { 'idempotency-key': 'click-1' };
    const body = { name: 'Acme', credit: '5' };
    const ask = (more: object) => operator.try(call, { headers, body: { ...body, ...more } });
    const replies = await Promise.all([1, 2, 3, 4].map(() => ask({})));
    assert.deepEqual(
      replies.map((reply) => [reply.status, reply.body.balance]),
      Array.from({ length: 4 }, () => [201, '5.00']),
    );
    assert.equal(new Set(replies.map((reply) => reply.body.account_id)).size, 1);
    const other = await ask({ credit: '6' });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
    const unkeyed = await operator.try(call, { body });
    assert.deepEqual([unkeyed.status, unkeyed.body.code], [422, 'invalid_request']);
    const { data } = await operator.call('GET /admin/v1/audit', {
      query: { action: 'account.created' },
    });
    assert.equal(data.length, 1);
  });

  test('the system page counts, checks the invariants and shows no secret', async () => {
    const secret = 'a-secret-that-nobody-may-ever-see-1234';
    await using world = await openWorld({
      env: {
        DARKROOM_SECRET: secret,
        AWS_SECRET_ACCESS_KEY: `${secret}-aws`,
        OPENAI_BASE_URL: `https://${secret}:${secret}@images.example.com/v1?code=${secret}`,
        AUTOMATIC1111_URL: `http://${secret}@127.0.0.1:7860`,
      },
    });
    const operator = await openOperator(world);
    await world.finished(await world.create());
    const reply = await operator.try('GET /admin/v1/server');
    assert.ok(!reply.text.includes(secret));
    const system = await operator.call('GET /admin/v1/server');
    const status = await operator.call('GET /admin/v1/status');
    assert.deepEqual(
      [system.database.kind, system.storage.kind, status.queued],
      [world.app.database.kind, 'disk', 0],
    );
    assert.ok(
      system.storage.disk_free_bytes > 0 && system.storage.disk_free_bytes <= system.storage.disk_bytes,
    );
    assert.deepEqual(
      status.workers.map(({ slots, jobs }) => ({ slots, jobs })),
      [{ slots: world.config.worker.concurrency, jobs: 0 }],
      'an idle worker is listed, too',
    );
    const source = (name: string) => system.settings.find((setting) => setting.name === name);
    assert.deepEqual(
      [source('DARKROOM_SECRET')?.value, source('DARKROOM_SECRET')?.source],
      ['set', 'environment'],
    );
    assert.match(source('OPENAI_BASE_URL')?.value ?? '', /^https:\/\/\*\*\*@images\.example\.com\/v1\?code=/);
    assert.deepEqual([source('HOST')?.value, source('HOST')?.source], ['127.0.0.1', 'default']);
    const check = await operator.call('POST /admin/v1/self-check', { body: {} });
    assert.deepEqual([check.ok, check.complete, check.violations, check.checked.jobs], [true, true, [], 1]);
  });

  test('the audit log has every action with its actor, in the action’s transaction, and nobody can change it', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    await operator.call('POST /panel/session/credentials', {
      body: { name: 'Ada', email: 'ada@example.com', password },
    });
    await operator.call('POST /admin/v1/accounts/:account/credits', {
      body: { amount: '1', reason: 'gift' },
    });
    const key = await operator.call('POST /api/v1/keys', {
      body: { name: 'ci', models: null },
    });
    await operator.call('POST /api/v1/keys/:key_id/disable', {
      params: { key_id: key.key_id },
    });
    const everything = { params: { scope: 'project' } };
    await operator.call('PUT /admin/v1/pauses/:scope', { ...everything, body: {} });
    await operator.call('DELETE /admin/v1/pauses/:scope', everything);
    const failed = await operator.try('POST /admin/v1/accounts', { body: { name: 'tests' } });
    assert.equal(failed.status, 422, 'the name is taken');

    const { data } = await operator.call('GET /admin/v1/audit');
    assert.deepEqual(
      data.map(({ action, person }) => [action, person?.name]),
      [
        ['pause.ended', 'Ada'],
        ['pause.started', 'Ada'],
        ['key.disabled', 'Ada'],
        ['key.created', 'Ada'],
        ['account.credited', 'Ada'],
        ['person.changed', 'Operator'],
        ['link.opened', 'Operator'],
      ],
    );
    assert.deepEqual(data.find(({ action }) => action === 'account.credited')?.detail, {
      amount: '1.00',
      reason: 'gift',
      balance_before: '100.00',
      balance_after: '101.00',
    });
    const filtered = await operator.call('GET /admin/v1/audit', {
      query: { account: world.accountId, limit: '1' },
    });
    assert.deepEqual(
      [filtered.data.map(({ action }) => action), filtered.next_cursor === null],
      [['key.disabled'], false],
    );
    for (const change of ['update', 'delete'] as const) await assert.rejects(tamper(world, change), /audit/);
  });

  test('a removed operator loses all rights at once, and the last operator cannot be removed', async () => {
    await using world = await openWorld();
    const first = await openOperator(world);
    const { person } = await first.call('GET /panel/session');
    const remove = (person_id: string) =>
      first.try('POST /panel/operator/operators/:person_id/remove', { params: { person_id } });
    assert.equal((await remove(person.person_id)).status, 422);

    const { url } = await first.call('POST /panel/operator/operators/invite', { body: {} });
    const second = new Browser(world);
    const body = { token: tokenOf(url), email: 'grace@example.com', password };
    const session = await second.call('POST /panel/links/open', { body });
    assert.equal(session.operator, true);
    assert.equal((await remove(session.person.person_id)).status, 200);
    assert.equal((await second.try('GET /admin/v1/server')).status, 403);
    assert.equal((await second.try('GET /api/v1/balance')).status, 404);
  });

  test('a link from the command line opens the panel, and ends earlier ones', async () => {
    await using world = await openWorld();
    const before = world.app.panelLink ?? '';
    const env = {
      DARKROOM_DATA_DIR: world.config.dataDir,
      ...(world.config.databaseUrl && { DATABASE_URL: world.config.databaseUrl }),
    };
    await using operations = await openOperations(env);
    const { url } = await operations.panelLink();
    assert.equal(new URL(url).origin, world.url);
    assert.equal(
      (await new Browser(world).try('POST /panel/links/open', { body: { token: tokenOf(before) } })).status,
      403,
    );
    assert.equal(
      (await new Browser(world).call('POST /panel/links/open', { body: { token: tokenOf(url) } })).operator,
      true,
    );
    await assert.rejects(operations.panelLink({ email: 'nobody@example.com' }), /Nobody signs in/);
  });
});

async function tamper(world: World, change: 'update' | 'delete'): Promise<void> {
  await world.app.database.transaction(async (tx) => {
    if (change === 'update')
      await tx.updateTable('audit_log').set({ person_name: 'somebody else' }).execute();
    else await tx.deleteFrom('audit_log').execute();
  });
}
