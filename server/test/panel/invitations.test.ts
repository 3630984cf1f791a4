import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openWorld, type World } from '../world/world.ts';
import { addPerson, Browser, openMember, openOperator, password, tokenOf } from './browser.ts';

const email = 'grace@example.com';
const inviteOperator = 'POST /panel/operator/operators/invite';
const inviteMember = 'POST /api/v1/invitations';
const makeLink = 'POST /panel/operator/people/:person_id/link';
const ofMembers = {
  revoke: 'DELETE /api/v1/invitations/:invitation_id',
  renew: 'POST /api/v1/invitations/:invitation_id/renew',
} as const;
const ofOperators = {
  revoke: 'POST /panel/operator/invitations/:invitation_id/revoke',
  renew: 'POST /panel/operator/invitations/:invitation_id/renew',
} as const;

suite('invitations', () => {
  test('by a removed operator make nobody an operator or a member, and that operator’s links sign nobody in', async () => {
    await using world = await openWorld();
    const first = await openOperator(world);
    const { person: own } = await first.call('GET /panel/session');
    const { browser: mallory, personId } = await addOperator(world, 'mallory@example.com');
    const victim = await addPerson(world, { email: 'ada@example.com', accountId: world.accountId });
    const other = await addPerson(world, { email: 'eve@example.com', accountId: world.accountId });

    const asOperator = await mallory.call(inviteOperator, { body: { note: 'myself, later' } });
    const asMember = await mallory.call(inviteMember, { body: {} });
    const asVictim = await mallory.call(makeLink, { params: { person_id: victim } });
    const opened = await mallory.call(makeLink, { params: { person_id: other } });
    const asOther = new Browser(world);
    await asOther.call('POST /panel/links/open', { body: { token: tokenOf(opened.url) } });
    const { url: kept } = await first.call(inviteMember, { body: {} });
    assert.equal((await first.call('GET /panel/operator/operators')).invitations.length, 1);

    const left = await first.call('POST /panel/operator/operators/:person_id/remove', {
      params: { person_id: personId },
    });
    assert.deepEqual([left.data.map(({ person_id }) => person_id), left.invitations], [[own.person_id], []]);
    for (const { url } of [asOperator, asMember, asVictim]) {
      const body = { token: tokenOf(url), email, password };
      for (const call of ['POST /panel/links/look', 'POST /panel/links/open'] as const) {
        const reply = await new Browser(world).try(call, {
          body: call.endsWith('look') ? { token: body.token } : body,
        });
        assert.deepEqual([reply.status, reply.body.code], [403, 'panel_link_invalid'], call);
      }
    }
    assert.equal((await asOther.try('GET /panel/session')).status, 401, 'a session that one of them began');
    const guest = await new Browser(world).call('POST /panel/links/open', {
      body: { token: tokenOf(kept), email, password },
    });
    assert.equal(guest.person.email, email);
  });

  test('name their author and recipient, and open nothing once they are revoked', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const member = await operator.call(inviteMember, { body: { note: 'for Grace' } });
    const colleague = await operator.call(inviteOperator, { body: { note: 'for Linus', role: 'support' } });
    const readMembers = async () => (await operator.call('GET /api/v1/invitations')).data;
    const readOperators = async () => (await operator.call('GET /panel/operator/operators')).invitations;
    for (const [{ url }, invitations, note, role, { revoke, renew }] of [
      [member, await readMembers(), 'for Grace', 'owner', ofMembers],
      [colleague, await readOperators(), 'for Linus', 'support', ofOperators],
    ] as const) {
      assert.deepEqual(
        invitations.map(({ role, note, made_by }) => [role, note, made_by]),
        [[role, note, 'Operator']],
      );
      const params = { invitation_id: invitations[0]?.invitation_id ?? '' };
      const guest = await openMember(world, {
        ...{ email: `${note.slice(4).toLowerCase()}@example.com`, role: 'developer' },
      });
      assert.equal((await guest.try(revoke, { params })).status, 403);
      const ofOthers = revoke === ofMembers.revoke ? ofOperators : ofMembers;
      for (const call of Object.values(ofOthers))
        assert.equal((await operator.try(call, { params })).status, 404, call);
      const renewed = await operator.call(renew, { params });
      const current = note === 'for Grace' ? await readMembers() : await readOperators();
      assert.deepEqual(
        current.map(({ note }) => note),
        [note],
        'a new link in place of the old one',
      );
      assert.equal((await operator.try(renew, { params })).status, 404);
      const old = { token: tokenOf(url), email, password };
      assert.equal((await new Browser(world).try('POST /panel/links/open', { body: old })).status, 403);
      params.invitation_id = current[0]?.invitation_id ?? '';
      await operator.call(revoke, { params });
      assert.equal((await operator.try(revoke, { params })).status, 404);
      const body = { token: tokenOf(renewed.url), email, password };
      assert.equal((await new Browser(world).try('POST /panel/links/open', { body })).status, 403);
    }
    assert.deepEqual((await operator.call('GET /panel/operator/operators')).invitations, []);
    assert.deepEqual(await readMembers(), []);
  });
});

async function addOperator(world: World, who: string): Promise<{ browser: Browser; personId: string }> {
  const personId = await addPerson(world, { email: who, accountId: null });
  const browser = new Browser(world);
  await browser.call('POST /panel/sign-in', { body: { email: who, password } });
  return { browser, personId };
}
