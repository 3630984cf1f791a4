import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { memberRoles, operatorRoles, type Right, rightsOf } from '../../src/accounts/people/roles.ts';
import type { PanelCallName } from '../../src/panel/contract.ts';
import { panelCalls } from '../../src/panel/panel-calls.ts';
import { rightFor } from '../../src/panel/rights.ts';
import { openWorld } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password, tokenOf } from './browser.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());

/** What each role may not do, as a person would say it. */
const refused: Record<string, readonly Right[]> = {
  owner: ['see_installation', 'operate'],
  developer: ['manage_people', 'see_installation', 'operate'],
  billing: [
    ...(['see_pictures', 'make_pictures', 'see_setup', 'change_setup', 'manage_people'] as const),
    ...(['see_installation', 'operate'] as const),
  ],
  viewer: ['make_pictures', 'change_setup', 'manage_people', 'see_installation', 'operate'],
  admin: [],
  support: ['see_pictures', 'make_pictures', 'change_setup', 'manage_people', 'operate'],
};

const calls = panelCalls({ installation: {} } as Parameters<typeof panelCalls>[0]).filter(
  ({ access }) => access === 'account' || access === 'operator',
);

for (const role of [...memberRoles, ...operatorRoles]) {
  const isMember = memberRoles.some((one) => one === role);
  test(`every call of the panel, by ${role}: let in or refused as the role says`, async () => {
    const browser = await openMember(world, {
      email: `${role}@example.com`,
      role,
      accountId: isMember ? world.accountId : null,
    });
    let letIn = 0;
    for (const { method, path, access } of calls) {
      const right = rightFor(method, path);
      assert.ok(right, `${method} ${path} takes no right`);
      const mayNot = refused[role]?.includes(right);
      // Those who are let in are stopped by what is wrong with the request, so that nothing changes. Calls that read answer.
      if (!mayNot && method === 'POST') continue;
      const { status, body } = await browser.try(`${method} ${path}` as PanelCallName, {
        params: { month: '2026-01', ...(mayNot ? {} : await anything()) },
        ...(method === 'POST' && { body: {} }),
      });
      if (mayNot)
        assert.deepEqual(
          [status, body.code],
          [403, access === 'operator' && isMember ? 'operator_required' : 'role_forbidden'],
          `${method} ${path}`,
        );
      else assert.ok(status !== 403 && status !== 401, `${method} ${path}: ${status}`);
      if (!mayNot) letIn += 1;
    }
    assert.ok(letIn > 5, `${letIn}`);
  });
}

/** Ids of nothing: the call is let in, and finds nothing. */
async function anything(): Promise<Record<string, string>> {
  return { job_id: '0197f7a2-0000-7000-8000-000000000000', after: '0' };
}

test('prompts are not in the ledger of those who may not see pictures', async () => {
  await world.finished(await world.create('/nb2/text-generations', { prompt: 'a secret fox' }));
  for (const [role, isShown] of [
    ['viewer', true],
    ['billing', false],
  ] as const) {
    const browser = await openMember(world, { email: `${role}.ledger@example.com`, role });
    const { text } = await browser.try('GET /panel/accounts/:account_id/entries');
    assert.equal(text.includes('a secret fox'), isShown, role);
  }
  const support = await openMember(world, {
    email: 'support.ledger@example.com',
    role: 'support',
    accountId: null,
  });
  const { text } = await support.try('GET /panel/accounts/:account_id/entries');
  assert.ok(!text.includes('a secret fox') && text.includes('capture'));
});

test('an invitation carries a role, owners change those of others, and the last admin stays', async () => {
  const operator = await openOperator(world);
  const { url } = await operator.call('POST /panel/operator/accounts/:account_id/invite', {
    body: { role: 'viewer' },
  });
  const guest = new Browser(world);
  const { person, accounts } = await guest.call('POST /panel/links/open', {
    body: { token: tokenOf(url), email: 'guest@example.com', password },
  });
  assert.deepEqual(accounts[0]?.rights, rightsOf({ operator: null, member: 'viewer' }));

  const owner = await openMember(world, { email: 'boss@example.com' });
  const set = 'POST /panel/accounts/:account_id/members/:person_id/role';
  const params = { person_id: person.person_id };
  const { data } = await owner.call(set, { params, body: { role: 'billing' } });
  assert.equal(data.find(({ person_id: id }) => id === person.person_id)?.role, 'billing');
  assert.equal((await guest.try('GET /panel/accounts/:account_id/jobs')).status, 403);
  const { person: boss } = await owner.call('GET /panel/session');
  const own = await owner.try(set, { params: { person_id: boss.person_id }, body: { role: 'viewer' } });
  assert.equal(own.status, 422);
  const elsewhere = await world.account('elsewhere');
  const stranger = await addPerson(world, { email: 'eve@example.com', accountId: elsewhere.accountId });
  assert.equal(
    (await owner.try(set, { params: { person_id: stranger }, body: { role: 'viewer' } })).status,
    404,
  );
});
