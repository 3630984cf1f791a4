import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { openWorld } from '../world/world.ts';

test('an id in a path may be in upper case, whatever it names and on both databases', async () => {
  await using world = await openWorld({ worker: false, env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
  const { key } = await makeAdminKey(world, 'spelling', ['accounts', 'money']);
  const admin = adminSender(world, key);
  const jobId = await world.create();
  const webhook = await world.send('POST', '/webhooks', { body: { url: 'http://127.0.0.9:8088/' } });
  const token = await world.send('POST', '/client-tokens', { body: {} });
  const vouchers = await admin('POST', '/vouchers', { amount: '1', count: 1 });
  const { keyId } = await world.account('other');
  const upper = (id: unknown) => String(id).toUpperCase();
  for (const path of [
    `/jobs/${upper(jobId)}`,
    `/jobs/${upper(jobId)}/tags`,
    `/webhooks/${upper(webhook.body.endpoint_id)}`,
    `/client-tokens/${upper(token.body.token_id)}`,
  ]) {
    const { status, body } = await world.send('GET', path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  }
  for (const path of [
    `/accounts/${upper(world.accountId)}`,
    `/jobs/${upper(jobId)}`,
    `/keys/${upper(keyId)}`,
    `/vouchers/${upper(vouchers.body.voucher_batch_id)}`,
  ]) {
    const { status, body } = await admin('GET', path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  }
  const tag = upper(jobId);
  const { body } = await world.send('PUT', `/jobs/${jobId}/tags/${tag}`);
  assert.deepEqual(body.tags, [tag], 'a tag that looks like an id stays as it is written');
});
