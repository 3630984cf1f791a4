import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openInstallation } from '../processes/support/installation.ts';
import { startCluster } from '../world/postgres.ts';
import { adminSender } from './admin-client.ts';

const askers = 100;

test('a reference that a hundred clients send at once, repeatedly while PostgreSQL crashes and returns, is credited once', async (t) => {
  await using cluster = await startCluster({ durable: true });
  await using place = await openInstallation({ url: cluster.url });
  const { accountId } = await place.account(0n);
  const { key } = await place.operator.createAdminKey('shop', { scopes: ['money'] });
  const send = adminSender(await place.start('api'), key);
  let isBack = false;
  const counts = { given: 0, replayed: 0, away: 0 };

  const ask = async () => {
    for (;;) {
      const beganAfter = isBack;
      const { status, headers } = await send('POST', `/accounts/${accountId}/credits`, {
        amount: '3',
        reference: 'pi_1',
      });
      if (status === 503) {
        counts.away += 1;
        await new Promise((resolve) => setTimeout(resolve, 50)); // this client waits less than Retry-After says
        continue;
      }
      assert.equal(status, 201);
      if (headers.get('idempotent-replayed') === 'true') counts.replayed += 1;
      else counts.given += 1;
      if (beganAfter) return;
    }
  };
  const all = Promise.all(Array.from({ length: askers }, ask));
  await cluster.restart('immediate');
  isBack = true;
  await all;

  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.away > 0, 'some came while it was away');
  assert.ok(counts.given <= 1, 'the answer of the one that was given may be lost');
  const entries = await place.database.read
    .selectFrom('entries')
    .select(['kind', 'amount_micros'])
    .where('account_id', '=', accountId)
    .execute();
  assert.deepEqual(
    entries.map(({ kind, amount_micros }) => [kind, BigInt(amount_micros)]),
    [['credit', 3_000_000n]],
  );
});
