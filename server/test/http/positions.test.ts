import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { deleteSetting, readSetting } from '../../src/base/db/settings-store.ts';
import { secretVerbs } from '../../src/start/secret-verbs.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { addPerson, openMember, openOperator } from '../panel/browser.ts';
import { openWebhookWorld } from '../webhooks/support/webhook-world.ts';
import { openWorld, type World } from '../world/world.ts';
import { assertProblem } from './support/refusal.ts';

interface Listed {
  data: Record<string, unknown>[];
  next_cursor: string | null;
}

async function list(world: World, path: string, key = world.key): Promise<Listed> {
  const reply = await world.send('GET', path, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body as unknown as Listed;
}

const idsOf = ({ data }: Listed, name: string) => data.map((one) => String(one[name]));

suite('ids of what the database numbers', () => {
  test('reveal nothing: an entry has one id everywhere and always, which contains no count of entries', async () => {
    await using webhooks = await openWebhookWorld();
    const { world } = webhooks;
    await webhooks.failJob();
    const ids = idsOf(await list(world, '/entries'), 'entry_id');
    assert.equal(ids.length, 3);
    for (const id of ids) assert.match(id, /^ent_[0-9a-f]{32}$/);
    assert.equal(new Set(ids.map((id) => id.slice(0, 8))).size, 3, 'neighbours have nothing in common');

    const { key } = await makeAdminKey(world, 'shop', ['money', 'system']);
    const admin = await adminSender(world, key)('GET', '/accounts/tests/entries');
    assert.deepEqual(idsOf(admin.body as unknown as Listed, 'entry_id'), ids);
    const member = await openMember(world, { email: 'ada@example.com' });
    const { data } = await member.call('GET /api/v1/entries');
    assert.deepEqual(
      data.map(({ entry_id }) => entry_id),
      ids,
    );
    const table = await member.call('GET /api/v1/entries.csv');
    assert.deepEqual(table.match(/^ent_[0-9a-f]{32}/gm), ids.toReversed());
  });

  test('stay the same over a restart and a change of the secret, for the server and for commands', async () => {
    await using world = await openWorld();
    const before = idsOf(await list(world, '/entries'), 'entry_id');
    await world.restart();
    assert.deepEqual(idsOf(await list(world, '/entries'), 'entry_id'), before);
    world.config.secrets.push('another secret, of 32 characters and more');
    await secretVerbs({ config: world.config, database: world.app.database }).resetSecret();
    await world.restart();
    assert.deepEqual(idsOf(await list(world, '/entries'), 'entry_id'), before);
  });

  test('differ from those of another installation', async () => {
    await using one = await openWorld();
    await using other = await openWorld();
    const [first, second] = [await list(one, '/entries'), await list(other, '/entries')];
    assert.notDeepEqual(idsOf(first, 'entry_id'), idsOf(second, 'entry_id'));
  });

  test('lead to their delivery; numbers and invented ids are unknown, and the error says where to find ids', async () => {
    await using webhooks = await openWebhookWorld();
    const { world } = webhooks;
    await webhooks.operations.replaceEndpoint('tests', 'default', { url: 'https://unreachable.invalid/' });
    for (let count = 0; count < 3; count++) await webhooks.failJob();
    const [id = ''] = idsOf(await list(world, '/deliveries'), 'delivery_id');
    assert.match(id, /^dlv_[0-9a-f]{32}$/);
    assert.equal((await world.send('GET', `/deliveries/${id}`)).body.delivery_id, id);
    // Some entries have the same numbers as deliveries.
    const entries = idsOf(await list(world, '/entries'), 'entry_id');
    const disguised = entries.map((entry) => entry.replace('ent', 'dlv'));
    const last = id.at(-1) === '0' ? '1' : '0';
    for (const unknown of ['1', ...entries, ...disguised, id.slice(0, -1) + last, `${id}0`]) {
      const reply = await world.send('GET', `/deliveries/${unknown}`);
      assertProblem(reply, 404, 'not_found');
      assert.match(String(reply.body.detail), /dlv_/);
    }
    const other = await world.account('other');
    const headers = { authorization: `Bearer ${other.key}` };
    assertProblem(await world.send('GET', `/deliveries/${id}`, { headers }), 404, 'not_found');
  });

  test('replace numbers in the audit log', async () => {
    await using world = await openWorld();
    const { key } = await makeAdminKey(world, 'shop', ['money', 'system']);
    const send = adminSender(world, key);
    const [credit] = idsOf(await list(world, '/entries'), 'entry_id');
    const debit = { amount: '1', reason: 'too much', corrects: credit };
    assert.equal((await send('POST', '/accounts/tests/debits', debit)).status, 201);
    const number = await send('POST', '/accounts/tests/debits', { ...debit, corrects: '1' });
    assertProblem(number, 422, 'invalid_request');
    assert.match(String(number.body.detail), /ent_/);
    const { data } = (await send('GET', '/audit?action=account.debited')).body as unknown as Listed;
    assert.deepEqual(
      data.map(({ detail }) => (detail as { corrects: string }).corrects),
      [credit],
    );
    assert.match(String(data[0]?.audit_id), /^aud_[0-9a-f]{32}$/);
  });
});

suite('a cursor', () => {
  test('reveals nothing, and is the same for the same page', async () => {
    await using world = await openWorld();
    for (let count = 0; count < 2; count++) await world.finished(await world.create());
    for (const path of ['/jobs', '/entries', '/events', '/jobs?q=fox', '/batches']) {
      const limited = `${path}${path.includes('?') ? '&' : '?'}limit=1`;
      const { next_cursor: cursor } = await list(world, limited);
      if (path === '/batches') assert.equal(cursor, null);
      else assert.throws(() => JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString('latin1')), path);
      assert.equal((await list(world, limited)).next_cursor, cursor);
    }
  });

  test('belongs to its call, filters and account; another limit does not make another list', async () => {
    await using world = await openWorld();
    for (let count = 0; count < 3; count++) await world.finished(await world.create());
    const { next_cursor: cursor } = await list(world, '/jobs?limit=1&status=done&model=nb2');
    assert.equal((await list(world, `/jobs?limit=5&model=nb2&status=done&cursor=${cursor}`)).data.length, 2);
    const entries = (await list(world, '/entries?limit=1')).next_cursor;
    for (const path of [
      `/jobs?status=done&cursor=${cursor}`,
      `/jobs?status=failed&model=nb2&cursor=${cursor}`,
      `/jobs?status=done&model=nb2&starred=false&cursor=${cursor}`,
      `/batches?cursor=${cursor}`,
      `/entries?kind=credit&cursor=${entries}`,
      `/events?cursor=${entries}`,
    ]) {
      const reply = await world.send('GET', path);
      assertProblem(reply, 422, 'invalid_request');
      assert.match(String(reply.body.detail), /of another list: send it to the call that returned it/, path);
    }
    const { key } = await world.account('other');
    const headers = { authorization: `Bearer ${key}` };
    assertProblem(await world.send('GET', `/entries?cursor=${entries}`, { headers }), 422, 'invalid_request');
  });

  test('that was altered, or is invalid, is refused', async () => {
    await using world = await openWorld();
    for (let count = 0; count < 2; count++) await world.finished(await world.create());
    const cursor = String((await list(world, '/entries?limit=1')).next_cursor);
    const [first = '', ...rest] = cursor;
    for (const wrong of [
      (first === 'A' ? 'B' : 'A') + rest.join(''),
      cursor.slice(0, -2),
      Buffer.from('[3,"1","1"]').toString('base64url'),
    ]) {
      const reply = await world.send('GET', `/entries?cursor=${wrong}`);
      assertProblem(reply, 422, 'invalid_request');
      assert.match(String(reply.body.detail), /is not a cursor: take "next_cursor"/);
    }
  });

  test('of the administration or the panel is bound in the same way', async () => {
    await using world = await openWorld();
    await world.finished(await world.create());
    await world.account('other');
    const { key } = await makeAdminKey(world, 'shop', ['accounts', 'money', 'system']);
    const send = adminSender(world, key);
    const { body } = await send('GET', '/accounts/tests/entries?limit=1');
    const cursor = String(body.next_cursor);
    assert.equal((await send('GET', `/accounts/tests/entries?cursor=${cursor}`)).status, 200);
    const others = [
      `/accounts/other/entries?cursor=${cursor}`,
      `/accounts/tests/entries?kind=debit&cursor=${cursor}`,
    ];
    for (const path of [...others, `/audit?cursor=${cursor}`])
      assertProblem(await send('GET', path), 422, 'invalid_request');

    const member = await openMember(world, { email: 'ada@example.com' });
    const entries = 'GET /api/v1/entries';
    const { next_cursor } = await member.call(entries, { query: { limit: '1' } });
    const after = next_cursor ?? '';
    assert.equal((await member.call(entries, { query: { cursor: after } })).data.length, 2);
    assert.equal((await member.try(entries, { query: { cursor: after, kind: 'credit' } })).status, 422);
    assert.equal((await member.try(entries, { query: { cursor } })).status, 422);

    const operator = await openOperator(world);
    await addPerson(world, { email: 'bob@example.com', accountId: null });
    const audit = await operator.call('GET /admin/v1/audit', { query: { limit: '1' } });
    assert.match(audit.data[0]?.audit_id ?? '', /^aud_/);
  });
});

suite('positions in the events from before cursors were sealed', () => {
  const plain = (seq: number) => Buffer.from(JSON.stringify([seq])).toString('base64url');

  async function upgrade(world: World): Promise<void> {
    await world.app.database.transaction(async (tx) => {
      for (const name of ['opaque_key', 'last_plain_position']) {
        const value = await readSetting(tx, name);
        if (value !== undefined) await deleteSetting(tx, name, value);
      }
    });
    await world.restart();
  }

  test('are accepted; those of later events are not, so that numbers cannot be found by trial', async () => {
    await using webhooks = await openWebhookWorld();
    const { world } = webhooks;
    const jobs = [await webhooks.failJob(), await webhooks.failJob(), await webhooks.failJob()];
    await upgrade(world);
    const read = async (after: string) =>
      (await list(world, `/events?cursor=${after}`)).data.map(
        ({ data }) => (data as { job_id: string }).job_id,
      );
    assert.deepEqual(await read(plain(0)), jobs);
    assert.deepEqual(await read(plain(2)), jobs.slice(2));
    await webhooks.failJob();
    assertProblem(await world.send('GET', `/events?cursor=${plain(4)}`), 422, 'invalid_request');
    assert.deepEqual((await read(plain(3))).length, 1);
  });

  test('do not exist in a new installation', async () => {
    await using webhooks = await openWebhookWorld();
    await webhooks.failJob();
    assertProblem(await webhooks.world.send('GET', `/events?cursor=${plain(1)}`), 422, 'invalid_request');
  });
});
