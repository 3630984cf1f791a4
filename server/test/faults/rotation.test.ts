import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { openMember } from '../panel/browser.ts';
import { type Received, receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { openWorld } from '../world/world.ts';

const timeout = 120_000;

function verifies({ body, headers }: Received, secret = ''): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

test('a webhook secret that is rotated among deliveries: each verifies with the old one, and with the new one from then on', {
  timeout,
}, async () => {
  await using receiver = await startReceiver();
  await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork } });
  const member = await openMember(world, { email: 'ada@example.com' });
  await member.call('POST /panel/accounts/:account_id/webhook', { body: { url: receiver.url } });
  const before = await member.call('POST /panel/accounts/:account_id/webhook/reveal');
  const old = before.secrets[0]?.secret;
  let going = true;
  let created = 0;
  const traffic = (async () => {
    for (; going; created++) await world.create();
  })();
  await receiver.got(20);
  await member.call('POST /panel/accounts/:account_id/webhook/rotate', { body: { leaked: false } });
  const createdBefore = created;
  const fresh = (await member.call('POST /panel/accounts/:account_id/webhook/reveal')).secrets[0]?.secret;
  assert.notEqual(fresh, old);
  // Creates go on until one that came after the rotation has its webhook.
  const later = await world.create();
  const isLater = ({ body }: Received) => JSON.parse(body).data.job_id === later;
  while (!receiver.received.some(isLater)) await receiver.got(receiver.received.length + 1);
  going = false;
  await traffic;
  const all = await receiver.got(created + 1);

  assert.ok(createdBefore > 0 && all.length === created + 1);
  assert.deepEqual(
    all.filter((received) => !verifies(received, old)),
    [],
  );
  // Those that were claimed before the rotation carry one signature, all others two.
  const one = all.filter((received) => !verifies(received, fresh));
  assert.ok(one.length >= 20 && one.length < all.length);
  assert.ok(one.every(({ headers }) => headers['webhook-signature']?.split(' ').length === 1));
  assert.ok(all.filter(isLater).every((received) => verifies(received, fresh)));
});

test('a link secret that is rotated by a restart among jobs: links given before hold until their time is over, and no job is lost', {
  timeout,
}, async () => {
  await using world = await openWorld({ config: { secrets: ['the old secret of this installation'] } });
  const linkOf = (job: Record<string, unknown>) => {
    const { image_url } = job.result as { image_url: string }; // a done job has one
    return new URL(image_url);
  };
  // The port changes with each start of these tests; a real installation keeps its address.
  const statusOf = async ({ pathname, search }: URL) =>
    (await fetch(`${world.url}${pathname}${search}`)).status;
  const done = await world.create();
  const before = linkOf(await world.finished(done));
  const release = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await release.promise;
    return world.provider.answer(request);
  };
  const underWay = await Promise.all(Array.from({ length: 10 }, () => world.create()));

  world.config.secrets = ['the new secret of this installation', ...world.config.secrets];
  const restarted = world.restart();
  await sleep(100); // some of the jobs run while the process stops, the others are queued
  release.resolve();
  await restarted;
  assert.equal(await statusOf(before), 200);
  const after = linkOf(await world.finished(done));
  assert.notEqual(after.searchParams.get('key'), before.searchParams.get('key'));
  assert.equal(await statusOf(after), 200);
  for (const jobId of underWay) assert.equal(await statusOf(linkOf(await world.finished(jobId))), 200);

  world.clock.advance(24 * 60 * 60 * 1_000 + 2_000);
  assert.equal(await statusOf(before), 403);
});
