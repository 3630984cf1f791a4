import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { type Browser, openOperator } from '../panel/browser.ts';
import { makeImage } from '../panel/support/member.ts';
import { type Operator, openOperator as openCommands } from '../world/commands.ts';
import { openWorld, type World } from '../world/world.ts';
import { adminSender, makeAdminKey, type SendAdmin } from './admin-client.ts';

interface Ways extends AsyncDisposable {
  panel: Browser;
  admin: SendAdmin;
  commands: Operator;
}

async function openWays(world: World, env: Record<string, string> = {}): Promise<Ways> {
  const { key } = await makeAdminKey(world, 'ways', ['read', 'accounts', 'money', 'models', 'system']);
  const { dataDir, databaseUrl } = world.config;
  const commands = await openCommands({
    DARKROOM_DATA_DIR: dataDir,
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    ...env,
  });
  return {
    panel: await openOperator(world),
    admin: adminSender(world, key),
    commands,
    [Symbol.asyncDispose]: () => commands[Symbol.asyncDispose](),
  };
}

/** The reason for a refusal, without the parts that exist only over HTTP. */
async function refusalOf(asked: Promise<unknown>): Promise<unknown> {
  try {
    const { body } = (await asked) as { body: Record<string, unknown> };
    return {
      code: body.code,
      detail: body.detail,
      ...(body.errors !== undefined && { errors: body.errors }),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, detail: error.message, ...error.details };
  }
}

/** Runs calls one after the other, because each changes the same data. */
async function inTurn<T>(asked: readonly (() => Promise<T>)[]): Promise<T[]> {
  const answers: T[] = [];
  for (const ask of asked) answers.push(await ask());
  return answers;
}

function inWords(limits: unknown): string[] {
  const rows = limits as { limit: string; most: unknown; is_default: boolean }[];
  return rows.map(
    ({ limit, most, is_default: isDefault }) => `${limit} ${most}${isDefault ? ', the default' : ''}`,
  );
}

suite('the panel, the administration and the command line give one answer', () => {
  test('to a change of a model that the configuration file sets: change it in the file', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-one-answer-'));
    const file = join(folder.path, 'darkroom.json');
    await writeFile(file, JSON.stringify({ prices: { nb: { '1K': '0.01' } } }));
    await using world = await openWorld({ worker: false, env: { DARKROOM_CONFIG: file } });
    await using ways = await openWays(world, { DARKROOM_CONFIG: file });
    const { panel, admin, commands } = ways;
    const params = { model_id: 'nb' };
    const { definition, version } = await panel.call('GET /panel/operator/models/:model_id', { params });
    assert.ok(definition);
    const priced = structuredClone(definition);
    assert.ok(priced.resolutions['1K']);
    priced.resolutions['1K'].price = '9';
    const plan = { models: [priced] };
    const apply = 'POST /admin/v1/models';
    const query = { if_version: String(version) };
    const asked = [
      panel.try(apply, { body: { ...plan, if_versions: { nb: version }, apply: true } }),
      panel.try(apply, { body: plan }),
      panel.try('DELETE /admin/v1/models/:model_id', { params, query }),
      panel.try('POST /admin/v1/models/:model_id/restore', {
        params,
        body: { version: 1, if_version: version },
      }),
      admin('POST', '/models', plan),
      admin('POST', '/models', { ...plan, apply: true }),
      admin('POST', '/models/nb/restore', { version: 1 }),
      admin('DELETE', '/models/nb'),
      commands.applyModels({ ...plan, apply: true }),
      commands.restoreModel('nb', 1),
      commands.removeModel('nb'),
    ];
    for (const answer of await Promise.all(asked.map(refusalOf)))
      assert.deepEqual(answer, {
        code: 'invalid_request',
        detail: `The model nb is set by the configuration file ${file}, at /prices/nb. Change it there, and restart.`,
      });

    const described = { ...definition, description: 'Small ones.' };
    const { applied } = await commands.applyModels({ models: [described], apply: true });
    assert.ok(applied, 'what the file does not set is changed here');
    await world.restart();
    const kept = world.app.catalogue.newest().find(({ model }) => model === 'nb');
    assert.deepEqual([kept?.version, kept?.definition], [version + 1, described]);
  });

  test('to a change of a connection that the configuration file sets: change it in the file', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-one-answer-'));
    const file = join(folder.path, 'darkroom.json');
    await writeFile(file, JSON.stringify({ connections: { home: { provider: 'sketch' } } }));
    await using world = await openWorld({ worker: false, env: { DARKROOM_CONFIG: file } });
    await using ways = await openWays(world, { DARKROOM_CONFIG: file });
    const { panel, admin, commands } = ways;
    const params = { name: 'home' };
    const body = { provider: 'fal' };
    const one = '/admin/v1/connections/:name';
    const asked = [
      panel.try(`PUT ${one}`, { params, body: { ...body, replaces: true } }),
      panel.try(`DELETE ${one}`, { params, query: { with_routes: 'true' } }),
      admin('PUT', '/connections/home', body),
      admin('DELETE', '/connections/home'),
      commands.addConnection('home', body),
      commands.removeConnection('home'),
    ];
    const detail = 'is set by the configuration file, and can only be changed there.';
    for (const answer of await Promise.all(asked.map(refusalOf)))
      assert.deepEqual(answer, {
        code: 'invalid_request',
        detail: `/name ${detail}`,
        errors: [{ pointer: '/name', detail }],
      });
    const listed = await commands.listConnections();
    assert.deepEqual(
      listed.map(({ locked }) => locked),
      [`/connections/home in ${file}`],
    );
    assert.deepEqual((await panel.call('GET /panel/operator/connections')).data, listed);
    assert.deepEqual((await admin('GET', '/connections')).body.data, listed);
  });

  test('to new limits: null is no limit, and "default" is the installation’s', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-one-answer-'));
    const file = join(folder.path, 'darkroom.json');
    await writeFile(file, JSON.stringify({ limits: { accounts: { spendDay: '200', maxOpen: 20 } } }));
    await using world = await openWorld({ worker: false, env: { DARKROOM_CONFIG: file } });
    await using ways = await openWays(world, { DARKROOM_CONFIG: file });
    const { panel, admin, commands } = ways;
    const { accountId } = world;
    const set = 'PATCH /api/v1/limits';
    const answers: unknown[] = [];
    for (const limits of [
      { spend_day: '5', open: 3 },
      { spend_day: null, open: null },
      { spend_day: 'default', open: 'default' },
    ] as const) {
      const answered = [
        async () => (await panel.call(set, { body: limits })).data,
        async () => (await admin('PATCH', `/accounts/${accountId}/limits`, limits)).body.data,
        () => commands.changeAccountLimits(accountId, limits),
      ];
      const [first, ...others] = await inTurn(answered.map((answer) => async () => inWords(await answer())));
      for (const other of others) assert.deepEqual(other, first);
      answers.push(first);
    }
    assert.deepEqual(answers, [
      ['spend_day 5.00', 'open 3'],
      ['spend_day null', 'open null'],
      ['spend_day 200.00, the default', 'open 20, the default'],
    ]);
    for (const limits of [{ open: '3' }, { open: 0 }, { spend_day: 5 }, { spend_days: '5' }]) {
      const refused = await panel.try(set, { body: limits });
      const { status, body } = await admin('PATCH', `/accounts/${accountId}/limits`, limits);
      assert.deepEqual([refused.status, status], [422, 422]);
      const details = [refused.body, body].map(({ errors }) => (errors as { detail: string }[])[0]?.detail);
      assert.equal(details[0], details[1]);
    }
  });

  test('to how many models and networks a key may have, however it is created or changed', async () => {
    await using world = await openWorld({ worker: false });
    await using ways = await openWays(world);
    const { panel, admin, commands } = ways;
    const { accountId } = world;
    const make = 'POST /api/v1/keys';
    const networks = (count: number) => Array.from({ length: count }, (_, index) => `10.0.${index}.0/24`);
    const models = (count: number) => Array.from({ length: count }, () => 'nb');
    const most = { name: 'ci', models: models(200), networks: networks(100) };
    const key = await panel.call(make, { body: { ...most } });
    assert.equal((await admin('POST', `/accounts/${accountId}/keys`, most)).status, 201);
    const made = await commands.createKey(accountId, most);
    for (const keyId of [key.key_id, made.key_id])
      assert.deepEqual(
        (await commands.changeKey(keyId, { networks: networks(100) })).networks,
        most.networks,
      );

    const params = { key_id: key.key_id };
    for (const tooMany of [{ models: models(201) }, { networks: networks(101) }]) {
      const body = { ...most, ...tooMany };
      const change = { networks: networks(101) };
      const asked = [
        panel.try(make, { body: { ...body } }),
        admin('POST', `/accounts/${accountId}/keys`, body),
        commands.createKey(accountId, body),
        ...('networks' in tooMany
          ? [
              panel.try('PATCH /api/v1/keys/:key_id', { params, body: change }),
              admin('PATCH', `/keys/${key.key_id}`, change),
              commands.changeKey(key.key_id, change),
            ]
          : []),
      ];
      const answers = (await Promise.all(asked.map(refusalOf))) as {
        errors: { pointer: string; detail: string }[];
      }[];
      const [first, ...others] = answers.map(({ errors }) =>
        errors.map(({ pointer, detail }) => ({ pointer, detail })),
      );
      assert.match(first?.[0]?.detail ?? '', /^must have at most [12]00 entries\.$/);
      for (const other of others) assert.deepEqual(other, first);
    }
  });

  test('with a new key: all its fields, and only this once the key itself', async () => {
    await using world = await openWorld({ worker: false });
    await using ways = await openWays(world);
    const { panel, admin, commands } = ways;
    const { accountId } = world;
    const wanted = { name: 'ci', models: ['nb'], expires_in: 3_600, networks: ['203.0.113.0/24'] };
    const path = `/accounts/${accountId}/keys`;
    const made = [
      await panel.call('POST /api/v1/keys', { body: wanted }),
      (await admin('POST', path, wanted)).body,
      await commands.createKey(accountId, wanted),
    ];
    const rolled = await Promise.all(
      made.map(({ key_id: keyId }, index) =>
        [
          () =>
            panel.call('POST /api/v1/keys/:key_id/roll', {
              params: { key_id: String(keyId) },
              body: { overlap: 60 },
            }),
          async () => (await admin('POST', `/keys/${keyId}/roll`, { overlap: 60 })).body,
          () => commands.rollKey(String(keyId), { overlap: 60 }),
        ][index]?.(),
      ),
    );
    for (const answers of [made, rolled]) {
      const same = answers.map((answer) => {
        const { key, key_id, hint, created_at, expires_at, ...rest } = answer as Record<string, unknown>;
        assert.match(String(key), /^dk_/);
        assert.ok(key_id && hint && created_at && expires_at);
        return rest;
      });
      for (const one of same) assert.deepEqual(one, same[0]);
      assert.deepEqual(
        [same[0]?.models, same[0]?.networks, same[0]?.status],
        [['nb'], wanted.networks, 'expiring'],
      );
    }
  });

  test('to whether a job would be accepted, with every reason against it', async () => {
    await using world = await openWorld({ worker: false });
    await using ways = await openWays(world);
    const { panel, commands } = ways;
    await commands.changeAccountLimits(world.accountId, { spend_day: '0.05', open: 1 });
    const codes: unknown[] = [];
    for (const act of [
      async () => {},
      () => world.create('/nb2/text-generations'),
      () => commands.pause('nb2', { reason: 'upgrade' }),
    ]) {
      await act();
      const body = { prompt: 'a fox', aspect_ratio: '1:1' };
      const asked = { params: { model: 'nb2' }, body };
      // Operators also get the margin.
      const { cost: _cost, margin: _margin, ...quote } = await panel.call(`${makeImage}?dry_run=true`, asked);
      const quoted = await world.send('POST', '/nb2/text-generations?dry_run=true', { body });
      assert.deepEqual(quote, quoted.body);
      if (quote.accepted) assert.equal(quote.detail, null);
      else assert.match(quote.detail ?? '', /^\S.*\.$/);
      codes.push(quote.reasons);
    }
    const reached = ['spend_limit_reached', 'open_jobs_limit_reached'];
    assert.deepEqual(
      codes.map((list) => (list as string[]).toSorted()),
      [[], reached, ['model_paused', ...reached]].map((list) => list.toSorted()),
    );
  });
});
