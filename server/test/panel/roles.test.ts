import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { removeOperator } from '../../src/accounts/people/operator-changes.ts';
import { insertOperator, listOperators } from '../../src/accounts/people/people-store.ts';
import {
  isOfOperators,
  memberRoles,
  operatorRoles,
  type Right,
  rightsOf,
} from '../../src/accounts/people/roles.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { accountRows } from '../../src/web/api/table.ts';
import type { PanelCallName } from '../../src/web/panel/contract.ts';
import { panelCalls } from '../../src/web/panel/panel-calls.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { openWorld } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password, tokenOf } from './browser.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());

const refused: Record<string, readonly Right[]> = {
  owner: ['see_installation', 'operate'],
  developer: ['see_people', 'manage_people', 'set_top_up', 'see_installation', 'operate'],
  billing: [
    ...(['see_pictures', 'make_pictures', 'see_setup', 'change_setup'] as const),
    ...(['see_people', 'manage_people', 'set_top_up'] as const),
    ...(['see_installation', 'operate'] as const),
  ],
  viewer: [
    'make_pictures',
    'change_setup',
    'see_people',
    'manage_people',
    'set_top_up',
    'see_installation',
    'operate',
  ],
  admin: [],
  support: ['see_pictures', 'make_pictures', 'change_setup', 'manage_people', 'set_top_up', 'operate'],
};

// The tables only store their arguments; no handler runs here.
const calls = [
  ...panelCalls({ installation: {} } as Parameters<typeof panelCalls>[0]).filter((call) => 'right' in call),
  ...accountRows({} as Parameters<typeof accountRows>[0]).map(({ method, path, access: { right } }) => ({
    ...{ method, path: `/api/v1${path}`, access: 'account', right },
  })),
];

for (const role of [...memberRoles, ...operatorRoles]) {
  const isMember = memberRoles.some((one) => one === role);
  test(`every panel call, by ${role}: admitted or refused according to the role`, async () => {
    const browser = await openMember(world, {
      email: `${role}@example.com`,
      role,
      accountId: isMember ? world.accountId : null,
    });
    let letIn = 0;
    for (const { method, path, access, right } of calls) {
      assert.ok(right, `${method} ${path} takes no right`);
      const mayNot = refused[role]?.includes(right);
      // An admitted call fails because of its invalid request, so that nothing changes. Calls that read succeed.
      if (!mayNot && method !== 'GET') continue;
      const { status, body } = await browser.try(`${method} ${path}` as PanelCallName, {
        params: { month: '2026-01', ...(mayNot ? {} : await anything()) },
        ...(method !== 'GET' && { body: {} }),
      });
      if (mayNot)
        assert.deepEqual(
          [status, body.code],
          [
            403,
            isMember && (access === 'operator' || isOfOperators(right))
              ? 'operator_required'
              : 'role_forbidden',
          ],
          `${method} ${path}`,
        );
      else assert.ok(status !== 403 && status !== 401, `${method} ${path}: ${status}`);
      if (!mayNot) letIn += 1;
    }
    assert.ok(letIn > 5, `${letIn}`);
  });
}

/** Ids that do not exist, so that an admitted call finds nothing. */
async function anything(): Promise<Record<string, string>> {
  return { job_id: '0197f7a2-0000-7000-8000-000000000000', after: '0' };
}

test('people who may not see images see no prompts in the ledger', async () => {
  await world.finished(await world.create('/nb2/text-generations', { prompt: 'a secret fox' }));
  for (const [role, isShown] of [
    ['viewer', true],
    ['billing', false],
  ] as const) {
    const browser = await openMember(world, { email: `${role}.ledger@example.com`, role });
    const { text } = await browser.try('GET /api/v1/entries', { query: { include: 'prompt' } });
    assert.equal(text.includes('a secret fox'), isShown, role);
  }
  const support = await openMember(world, {
    email: 'support.ledger@example.com',
    role: 'support',
    accountId: null,
  });
  const { text } = await support.try('GET /api/v1/entries', { query: { include: 'prompt' } });
  assert.ok(!text.includes('a secret fox') && text.includes('capture'));
});

test('secrets in receivers’ addresses are for those who set them: neither support nor a reading key gets them', async () => {
  const secret = 'sEcReT';
  await world.app.database.transaction((tx) => tx.deleteFrom('endpoints').execute());
  const owner = await openMember(world, { email: 'receiver@example.com' });
  const hook = `https://receiver.example.com/hooks/${secret}?token=${secret}`;
  const { endpoint_id } = await owner.call('POST /api/v1/webhooks', {
    body: { url: hook, events: null },
  });
  const callback_url = `https://callback.example.com/${secret}`;
  const jobId = await world.create('/nb2/text-generations', { callback_url });
  await world.finished(jobId);
  const support = await openMember(world, { email: 's@example.com', role: 'support', accountId: null });
  const params = { endpoint_id, job_id: jobId };
  const seen: string[] = [];
  for (const { method, path } of calls)
    if (method === 'GET') {
      const { text } = await support.try(`${method} ${path}` as PanelCallName, {
        params: { month: '2026-01', ...(await anything()), ...params },
      });
      assert.ok(!text.includes(secret), `${path}: ${text.slice(0, 300)}`);
      seen.push(text);
    }
  assert.match(seen.join(), /https:\/\/receiver\.example\.com\/…/);
  assert.match(seen.join(), /https:\/\/callback\.example\.com\/…/);
  const { text } = await owner.try('GET /api/v1/deliveries');
  assert.ok(text.includes(callback_url));

  const { paths } = (await (await fetch(`${world.url}/admin/v1/openapi.json`)).json()) as {
    paths: Record<string, { get?: object }>;
  };
  for (const [scopes, isShown] of [
    [['read'], false],
    [['read', 'accounts'], true],
  ] as const) {
    const send = adminSender(world, (await makeAdminKey(world, `sees-${scopes.length}`, [...scopes])).key);
    const answers = [];
    for (const [path, { get }] of Object.entries(paths)) {
      if (!get) continue;
      const own = path
        .replace('/admin/v1', '')
        .replace('{account}', world.accountId)
        .replace('{job_id}', jobId)
        .replace(/{\w+}/g, '2026-01');
      answers.push(JSON.stringify((await send('GET', own)).body));
    }
    assert.match(answers.join(), /callback\.example\.com/);
    assert.equal(answers.join().includes(secret), isShown, scopes.join());
  }
});

test('an invitation gives a role, owners change others’ roles, and the last admin cannot be removed', async () => {
  const operator = await openOperator(world);
  const { url } = await operator.call('POST /api/v1/invitations', {
    body: { role: 'viewer' },
  });
  const guest = new Browser(world);
  const { person, accounts } = await guest.call('POST /panel/links/open', {
    body: { token: tokenOf(url), email: 'guest@example.com', password },
  });
  assert.deepEqual(accounts[0]?.rights, rightsOf({ operator: null, member: 'viewer' }));

  const owner = await openMember(world, { email: 'boss@example.com' });
  const set = 'PATCH /api/v1/members/:person_id';
  const params = { person_id: person.person_id };
  const { data } = await owner.call(set, { params, body: { role: 'billing' } });
  assert.equal(data.find(({ person_id: id }) => id === person.person_id)?.role, 'billing');
  assert.equal((await guest.try('GET /api/v1/jobs')).status, 403);
  const { person: boss } = await owner.call('GET /panel/session');
  const own = await owner.try(set, { params: { person_id: boss.person_id }, body: { role: 'viewer' } });
  assert.equal(own.status, 422);
  const elsewhere = await world.account('elsewhere');
  const stranger = await addPerson(world, { email: 'eve@example.com', accountId: elsewhere.accountId });
  for (const person_id of [stranger, 'nobody'])
    assert.equal((await owner.try(set, { params: { person_id }, body: { role: 'viewer' } })).status, 404);
});

test('if two admins remove each other at the same time, one stays', async () => {
  await using installation = await openWorld({ worker: false });
  const { database } = installation.app;
  const admins = await Promise.all(
    ['ada@example.com', 'eve@example.com'].map((email) =>
      addPerson(installation, { email, accountId: null }),
    ),
  );
  for (let round = 0; round < 10; round += 1) {
    await database.transaction(async (tx) => {
      await tx.deleteFrom('operators').execute();
      for (const id of admins) await insertOperator(tx, id);
    });
    const removed = await Promise.allSettled(
      admins.map((id) => removeOperator({ database }, id, commandLine)),
    );
    assert.deepEqual(removed.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], `round ${round}`);
    assert.equal((await listOperators(database.read)).length, 1);
  }
});
