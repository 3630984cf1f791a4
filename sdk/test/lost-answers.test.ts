import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { makeAdminKey } from '../../server/test/admin/admin-client.ts';
import { startStripe } from '../../server/test/emulators/stripe.ts';
import { openWorld } from '../../server/test/world/world.ts';
import { Darkroom, DarkroomAdmin } from '../src/index.ts';

/** A proxy that loses the first answer to each POST and DELETE, after the server has done the work. */
async function startLosing(target: string) {
  const known = new Set<string>();
  const counts = { lost: 0, answered: 0 };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request));
    const { host: _, connection: __, ...headers } = request.headers;
    const answer = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>, // no header is sent twice
      ...(body.length > 0 && { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const key = `${request.url} ${body}`;
    const isLost = (request.method === 'POST' || request.method === 'DELETE') && !known.has(key);
    known.add(key);
    counts[isLost ? 'lost' : 'answered']++;
    if (isLost) return request.socket.destroy();
    const { 'content-length': ___, 'content-encoding': ____, ...sent } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, sent).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a listening TCP server has an address
    counts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('everything a program makes is made once, though every first answer is lost', async () => {
  await using stripe = await startStripe();
  await using world = await openWorld({
    env: { ...stripe.environment, DARKROOM_ALLOW_NETWORKS: '127.0.0.1/32' },
    worker: false,
  });
  const { key: adminKey } = await makeAdminKey(world, 'all', ['read', 'accounts', 'money']);
  await using proxy = await startLosing(world.url);
  const { key, accountId } = await world.account('unlucky');
  const admin = new DarkroomAdmin({ baseUrl: proxy.url, adminKey });
  const darkroom = new Darkroom({ baseUrl: proxy.url, apiKey: key });
  const { balance } = await darkroom.balance();

  await darkroom.createClientToken({ spend_cap: '1.00' });
  assert.equal((await darkroom.listClientTokens()).data.length, 1);
  await darkroom.createPayment('25.00');
  assert.equal((await darkroom.listPayments()).data.length, 1);
  const added = await darkroom.addEndpoint({ url: 'http://127.0.0.1:1/hook' });
  assert.equal((await darkroom.listEndpoints()).length, 1);
  const rotated = await darkroom.rotateWebhookSecret({ endpointId: added.endpoint_id });
  assert.deepEqual([rotated.length, rotated[1]?.secret], [2, added.secret]);

  const made = await admin.createKey(accountId, { name: 'one' });
  const rolled = await admin.rollKey(made.key_id);
  const { data: keys } = await admin.listAccountKeys(accountId);
  assert.deepEqual(
    keys.slice(0, 2).map(({ key_id }) => key_id),
    [rolled.key_id, made.key_id],
  );
  assert.equal(keys.length, 3);
  await admin.inviteMember(accountId);
  assert.equal((await admin.listInvitations(accountId)).length, 1);

  await admin.creditAccount(accountId, { amount: '2.00', reason: 'sorry' });
  await admin.debitAccount(accountId, { amount: '0.50', reason: 'not so sorry' });
  const { codes } = await admin.createVouchers({ amount: '3.00', count: 1 });
  assert.equal((await admin.listVouchers()).data.length, 1);
  assert.equal((await darkroom.redeemVoucher(codes[0] ?? '')).amount, '3.00');
  assert.equal(Number((await darkroom.balance()).balance), Number(balance) + 2 - 0.5 + 3);
  assert.equal(proxy.counts.lost, 11);
});

test('a deletion whose first answer is lost succeeds, and an unknown id is still not found', async () => {
  await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.1/32' }, worker: false });
  const { key: adminKey } = await makeAdminKey(world, 'all', ['read', 'models']);
  await using proxy = await startLosing(world.url);
  const darkroom = new Darkroom({ baseUrl: proxy.url, apiKey: world.key });
  const admin = new DarkroomAdmin({ baseUrl: proxy.url, adminKey });

  const { endpoint_id } = await darkroom.addEndpoint({ url: 'http://127.0.0.1:1/hook' });
  await darkroom.removeEndpoint(endpoint_id);
  assert.deepEqual(await darkroom.listEndpoints(), []);
  await admin.addConnection('home', { provider: 'comfyui', base_url: 'http://127.0.0.1:1' });
  await admin.removeConnection('home');
  assert.deepEqual(await admin.listConnections(), []);
  assert.equal(proxy.counts.lost, 3);

  // The proxy has lost its answer to this request before, and now passes on the first one.
  await assert.rejects(darkroom.removeEndpoint(endpoint_id), { code: 'not_found' });
});

test('tables, archives and images are read again after 500', async () => {
  await using world = await openWorld();
  let isFirst = false;
  const retried: string[] = [];
  const darkroom = new Darkroom({
    baseUrl: world.url,
    apiKey: world.key,
    async fetch(url, init) {
      isFirst = !isFirst;
      return isFirst ? new Response('', { status: 500, headers: { 'retry-after': '0' } }) : fetch(url, init);
    },
    onRetry: ({ error }) => retried.push(error.name),
  });
  const job = await darkroom.generate('nb', { prompt: 'a fox', aspect_ratio: '1:1' });
  const { length } = retried;
  assert.equal((await darkroom.downloadImage(job)).type, 'image/png');
  const [month = ''] = await darkroom.listStatements();
  assert.match(await darkroom.getStatementTable(month), /capture/);
  for (const pieces of [darkroom.downloadEntryTable(), darkroom.downloadImages([job.job_id])])
    assert.ok((await Array.fromAsync(pieces)).length > 0);
  assert.deepEqual(retried.slice(length), Array(5).fill('DarkroomError'));
});
