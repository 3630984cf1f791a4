import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import Stripe from 'stripe';
import { freePort } from '../world/free-port.ts';
import { openWorld } from '../world/world.ts';
import { adminSender, makeAdminKey } from './admin-client.ts';

const root = resolve(import.meta.dirname, '../../..');
const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const webhookSecret = 'whsec_of_a_test';

/** Runs the program of the guide as it stands, with the address of the world in the place of the guide's. */
async function startReceiver(adminKey: string, stack: AsyncDisposableStack): Promise<string> {
  const guide = await readFile(join(root, 'docs/guides/administration.md'), 'utf8');
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-stripe-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'receiver.ts'), code.replace('http://127.0.0.1:3000', world.url));
  const port = await freePort();
  const child = spawn(process.execPath, ['receiver.ts'], {
    cwd: folder,
    stdio: 'inherit',
    env: {
      PATH: process.env.PATH,
      STRIPE_SECRET_KEY: 'sk_test_123',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      DARKROOM_ADMIN_KEY: adminKey,
      PORT: String(port),
    },
  });
  stack.defer(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await listening(port, () => child.exitCode === null);
  return `http://127.0.0.1:${port}`;
}

async function listening(port: number, isAlive: () => boolean): Promise<void> {
  for (;;) {
    assert.ok(isAlive(), 'the receiver has ended');
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
  }
}

/** An event as Stripe sends it, signed by its own client. */
function checkoutOf(account: string, session: object) {
  const payload = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'checkout.session.completed',
    data: { object: { id: 'cs_1', object: 'checkout.session', client_reference_id: account, ...session } },
  });
  const stripe = new Stripe('sk_test_123');
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
  return { payload, signature };
}

test('an event of Stripe that is delivered twice, or twenty times at once, is credited once', async () => {
  const { key } = await makeAdminKey(world, 'stripe', ['accounts', 'money']);
  const send = adminSender(world, key);
  const { body: account } = await send('POST', '/accounts', { name: 'customer' });
  await using stack = new AsyncDisposableStack();
  const url = await startReceiver(key, stack);
  const deliver = async ({ payload, signature }: { payload: string; signature: string }) =>
    (await fetch(url, { method: 'POST', body: payload, headers: { 'stripe-signature': signature } })).status;
  const balance = async () => (await send('GET', `/accounts/${account.account_id}`)).body.balance;

  const paid = checkoutOf(String(account.account_id), { payment_status: 'paid', amount_total: 2_550 });
  assert.deepEqual([await deliver(paid), await deliver(paid)], [200, 200]);
  assert.equal(await balance(), '25.50');
  const again = await Promise.all(Array.from({ length: 20 }, () => deliver(paid)));
  assert.deepEqual([...new Set(again)], [200]);
  assert.equal(await balance(), '25.50');

  assert.equal(await deliver({ ...paid, signature: 't=1,v1=00' }), 400);
  const unpaid = checkoutOf('customer', { id: 'cs_2', payment_status: 'unpaid', amount_total: 100 });
  assert.equal(await deliver(unpaid), 200);
  const nobody = checkoutOf('nobody', { id: 'cs_3', payment_status: 'paid', amount_total: 100 });
  assert.equal(await deliver(nobody), 400, 'Stripe sends it again, and shows it to its people');
  const { body } = await send('GET', `/accounts/${account.account_id}/entries`);
  assert.deepEqual(
    (body.data as { amount: string; reference: string }[]).map(({ amount, reference }) => [
      amount,
      reference,
    ]),
    [['25.50', 'cs_1']],
  );
});
