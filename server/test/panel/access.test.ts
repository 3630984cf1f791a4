import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { newId } from '../../src/base/std/ids.ts';
import { openWorld } from '../world/world.ts';
import { Browser, openMember, openOperator } from './browser.ts';
import { email } from './support/member.ts';

suite('rights in the panel', () => {
  test('the public API never takes a session, and the panel never takes a key', async () => {
    await using world = await openWorld();
    const browser = await openOperator(world);
    for (const path of ['/api/v1/balance', '/api/v1/jobs', '/api/v1/models']) {
      assert.equal((await browser.send('GET', path)).status, 401);
    }
    const withKey = await new Browser(world).send('GET', `/panel/accounts/${world.accountId}/overview`, {
      headers: { authorization: `Bearer ${world.key}` },
    });
    assert.equal(withKey.status, 401);
  });

  test('a member sees nothing of another account: every call answers as if it did not exist', async () => {
    await using world = await openWorld();
    const other = await world.account('other', { creditMicros: 5_000_000n });
    const jobId = await world.create();
    await world.finished(jobId);
    const member = await openMember(world, { email, accountId: other.accountId });
    const foreign = {
      account_id: world.accountId,
      job_id: jobId,
      key_id: other.keyId,
      delivery_id: '1',
      endpoint_id: other.keyId,
      ...{ person_id: other.keyId, invitation_id: other.keyId },
    };
    for (const call of accountCalls) {
      const reply = await member.try(call, { params: foreign, ...(!call.startsWith('GET') && { body: {} }) });
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], call);
    }
    const own = { ...foreign, account_id: other.accountId };
    for (const call of [
      'GET /panel/accounts/:account_id/jobs/:job_id',
      'POST /api/v1/jobs/:job_id/again',
      'POST /api/v1/jobs/:job_id/cancel',
    ] as const) {
      assert.equal(
        (await member.try(call, { params: own })).status,
        404,
        `${call} with another account's job`,
      );
    }
    const [key] = (await (await openOperator(world)).call('GET /api/v1/keys')).data;
    const keyParams = { account_id: other.accountId, key_id: key?.key_id ?? '' };
    assert.equal((await member.try('POST /api/v1/keys/:key_id/disable', { params: keyParams })).status, 404);
  });

  test('an operator gets no data for an account that does not exist, or by an account’s name', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    for (const account_id of [newId(world.clock.nowMs()), 'tests'])
      for (const call of ['GET /api/v1/jobs', 'GET /api/v1/keys', 'GET /api/v1/tags'] as const) {
        const reply = await operator.try(call, { params: { account_id } });
        assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], `${call} of ${account_id}`);
      }
  });

  test('a member of a disabled account may only look: no key, no secret, no webhook', async () => {
    await using world = await openWorld({ worker: false });
    const operator = await openOperator(world);
    const member = await openMember(world, { email });
    const job_id = await world.create();
    const [key] = (await member.call('GET /api/v1/keys')).data;
    await operator.call('POST /admin/v1/accounts/:account/disable', { body: { reason: 'unpaid' } });
    const params = { job_id, key_id: key?.key_id ?? '', delivery_id: '1', endpoint_id: job_id };
    for (const call of accountCalls) {
      const body = bodies[call];
      const reply = await member.try(call, { params, ...(body && { body }) });
      if (call.startsWith('GET')) assert.notEqual(reply.status, 403, call);
      else assert.deepEqual([reply.status, reply.body.code], [403, 'account_disabled'], call);
    }
    const made = { name: 'for later', models: null };
    await operator.call('POST /api/v1/keys', { body: made });
    await operator.call('POST /admin/v1/accounts/:account/enable');
    await member.call('POST /api/v1/keys', { body: made });
  });

  test('every operators’ call refuses a member', async () => {
    await using world = await openWorld();
    const member = await openMember(world, { email });
    for (const call of operatorCalls) {
      const reply = await member.try(call, {
        params: { scope: 'nb', person_id: world.accountId, route: 'nb/test' },
        ...(!call.startsWith('GET') && { body: {} }),
      });
      assert.deepEqual([reply.status, reply.body.code], [403, 'operator_required'], call);
    }
  });

  test('without a session, no call returns data', async () => {
    await using world = await openWorld();
    for (const call of [
      ...accountCalls,
      ...operatorCalls,
      'GET /panel/session',
      'POST /panel/sign-out',
    ] as const) {
      const reply = await new Browser(world).try(call, {
        params: { job_id: world.accountId },
        ...(!call.startsWith('GET') && { body: {} }),
      });
      assert.deepEqual([reply.status, reply.body.code], [401, 'session_missing'], call);
    }
  });

  test('a person who is removed from an account loses access at once', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const member = await openMember(world, { email });
    const { person } = await member.call('GET /panel/session');
    await operator.call('DELETE /api/v1/members/:person_id', {
      params: { person_id: person.person_id },
    });
    assert.equal((await member.try('GET /api/v1/balance')).status, 404);
  });
});

const accountCalls = [
  'GET /panel/accounts/:account_id/overview',
  'GET /api/v1/models',
  'GET /api/v1/jobs',
  'GET /api/v1/jobs.csv',
  'GET /api/v1/jobs/images.zip',
  'GET /api/v1/jobs/:job_id/image',
  'GET /api/v1/batches',
  'GET /api/v1/batches/:batch_id',
  'POST /api/v1/batches/:batch_id/cancel',
  'GET /api/v1/batches/:batch_id/results',
  'GET /api/v1/batches/:batch_id/images.zip',
  'GET /api/v1/tags',
  'POST /api/v1/jobs/tags',
  'GET /api/v1/jobs/:job_id/tags',
  'PUT /api/v1/jobs/:job_id/tags/:tag',
  'DELETE /api/v1/jobs/:job_id/tags/:tag',
  'PUT /api/v1/jobs/:job_id/star',
  'DELETE /api/v1/jobs/:job_id/star',
  'GET /api/v1/shares',
  'POST /api/v1/shares',
  'GET /api/v1/shares/:token',
  'DELETE /api/v1/shares/:token',
  'GET /panel/accounts/:account_id/batches',
  'GET /panel/accounts/:account_id/keys',
  'GET /panel/accounts/:account_id/jobs/changes',
  'GET /panel/accounts/:account_id/jobs/:job_id',
  'POST /api/v1/:model/text-generations',
  'POST /api/v1/jobs/:job_id/again',
  'POST /api/v1/jobs/:job_id/cancel',
  'GET /api/v1/keys',
  'GET /api/v1/keys/:key_id',
  'POST /api/v1/keys',
  'PATCH /api/v1/keys/:key_id',
  'POST /api/v1/keys/:key_id/disable',
  'POST /api/v1/keys/:key_id/roll',
  'GET /api/v1/keys/:key_id/limits',
  'PATCH /api/v1/keys/:key_id/limits',
  'GET /api/v1/limits',
  'GET /api/v1/alerts',
  'PATCH /api/v1/alerts',
  'GET /api/v1/retention',
  'GET /api/v1/balance',
  'GET /api/v1/entries',
  'GET /api/v1/entries.csv',
  'GET /api/v1/usage',
  'GET /api/v1/usage.csv',
  'GET /api/v1/webhooks',
  'POST /api/v1/webhooks',
  'GET /api/v1/webhooks/:endpoint_id',
  'PATCH /api/v1/webhooks/:endpoint_id',
  'DELETE /api/v1/webhooks/:endpoint_id',
  'POST /api/v1/webhooks/:endpoint_id/test',
  'PUT /api/v1/webhooks/:endpoint_id',
  'POST /api/v1/webhooks/:endpoint_id/reveal',
  'POST /api/v1/webhooks/:endpoint_id/rotate',
  'GET /api/v1/deliveries',
  'GET /api/v1/deliveries/:delivery_id',
  'POST /api/v1/deliveries/:delivery_id/replay',
  'POST /api/v1/deliveries/replay',
  'GET /api/v1/deliveries/replay',
  'POST /api/v1/invitations',
  'DELETE /api/v1/members/:person_id',
  'GET /api/v1/invitations',
  'POST /api/v1/invitations/:invitation_id/renew',
  'DELETE /api/v1/invitations/:invitation_id',
] as const;

/** Valid bodies, so that only the account can be the reason for a refusal. */
const bodies: Record<string, object> = {
  'POST /api/v1/:model/text-generations': { prompt: 'a fox', aspect_ratio: '1:1' },
  'POST /api/v1/keys': { name: 'ci', models: null },
  'POST /api/v1/keys/:key_id/roll': { overlap: 0 },
  'POST /api/v1/webhooks': { url: 'https://example.com/hook', events: null },
  'PATCH /api/v1/webhooks/:endpoint_id': { enabled: true },
  'PUT /api/v1/webhooks/:endpoint_id': { url: 'https://example.com/hook' },
  'POST /api/v1/webhooks/:endpoint_id/rotate': {},
  'POST /api/v1/deliveries/replay': {},
  'POST /api/v1/invitations': { email: 'new@example.com', role: 'viewer' },
};

const operatorCalls = [
  'PATCH /api/v1/limits',
  'PATCH /api/v1/retention',
  'GET /admin/v1/accounts',
  'POST /admin/v1/accounts',
  'GET /admin/v1/accounts/:account',
  'POST /admin/v1/accounts/:account/credits',
  'POST /admin/v1/accounts/:account/disable',
  'POST /admin/v1/accounts/:account/enable',
  'GET /panel/operator/operators',
  'POST /panel/operator/operators/invite',
  'POST /panel/operator/customers/invite',
  'POST /panel/operator/operators/:person_id/remove',
  'POST /panel/operator/people/:person_id/link',
  'DELETE /admin/v1/people/:person',
  'POST /panel/operator/people/:person_id/confirm-email',
  'POST /panel/operator/invitations/:invitation_id/revoke',
  'POST /panel/operator/invitations/:invitation_id/renew',
  'GET /panel/operator/models',
  'PUT /admin/v1/pauses/:scope',
  'DELETE /admin/v1/pauses/:scope',
  'POST /admin/v1/routes/:route/check',
  'GET /admin/v1/server',
  'POST /admin/v1/self-check',
  'GET /admin/v1/audit',
  'GET /admin/v1/audit/choices',
  'GET /admin/v1/audit.csv',
  'GET /admin/v1/audit.jsonl',
] as const;
