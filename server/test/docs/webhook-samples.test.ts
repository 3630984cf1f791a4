import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { bearer, eventually } from '../http/support/requests.ts';
import { s3Credentials, startS3 } from '../images/s3-servers.ts';
import { answerWith, type Receiver, startReceiver } from '../webhooks/support/receiver.ts';
import { freePort } from '../world/free-port.ts';
import { openWorld, type World } from '../world/world.ts';
import { sampleOf } from './support/guide-samples.ts';
import { openFolder } from './support/open-folder.ts';
import { besideEnv, shell } from './support/shell.ts';

// The samples about webhooks and buckets, with receivers on this machine instead of https://example.com.
const root = join(import.meta.dirname, '../../..');
const loopback = '127.0.0.0/8';

let world: World;
let receiver: Receiver;
let folder: Awaited<ReturnType<typeof openFolder>>;
before(async () => {
  world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: loopback } });
  receiver = await startReceiver();
  folder = await openFolder();
});
after(async () => {
  await world?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const env = () => ({ ...besideEnv(world), DARKROOM_ALLOW_NETWORKS: loopback });

async function runFor(account: string, code: string): Promise<string> {
  const { origin } = new URL(receiver.url);
  return shell(
    code.replaceAll('https://example.com', origin).replaceAll('--account shop', `--account ${account}`),
    folder.path,
    env(),
  );
}

async function endpointsOf(key: string) {
  const { body } = await world.send('GET', '/webhooks', { headers: bearer(key) });
  return body.data as { endpoint_id: string; url: string; events: string[] | null }[]; // the documented shape
}

async function addEndpoint(key: string, url = `${new URL(receiver.url).origin}/hook`) {
  const { body } = await world.send('POST', '/webhooks', { body: { url }, headers: bearer(key) });
  return body as { secret: string }; // the documented shape
}

suite('samples about webhooks', () => {
  test('an endpoint is added, tried, shown and changed', async () => {
    const { accountId, key } = await world.account('first-endpoint');
    const printed = await runFor(accountId, sampleOf('npx darkroom webhook add https://example.com/hook'));
    assert.match(printed, /whsec_\S+[\s\S]*took it: 204/);
    assert.equal(receiver.received.at(-1)?.path, '/hook');
    assert.match((await endpointsOf(key))[0]?.url ?? '', /\/other$/);
  });

  test('one of several endpoints is listed, changed, tried and removed by its id', async () => {
    const { accountId, key } = await world.account('several-endpoints');
    const lines = sampleOf('npx darkroom webhook add https://example.com/failures').split('\n');
    await runFor(accountId, lines[0] ?? '');
    const [endpoint] = await endpointsOf(key);
    await runFor(
      accountId,
      lines
        .slice(1)
        .join('\n')
        .replaceAll('019a…', endpoint?.endpoint_id ?? ''),
    );
    assert.equal(receiver.received.at(-1)?.path, '/failures');
    assert.deepEqual(await endpointsOf(key), []);
  });

  test('an endpoint receives only batch events', async () => {
    const { accountId, key } = await world.account('batches-alone');
    await runFor(accountId, sampleOf('npx darkroom webhook add https://example.com/batches'));
    assert.deepEqual((await endpointsOf(key))[0]?.events, ['batch.completed']);
  });

  test('deliveries are listed, and undelivered events are sent again', async () => {
    const { accountId, key } = await world.account('replays', { creditMicros: 1_000_000n });
    receiver.answer = answerWith(410); // ends the delivery at once
    const sentBefore = receiver.received.length;
    await world.create(undefined, { callback_url: receiver.url }, bearer(key));
    await eventually(
      async () => (await world.send('GET', '/deliveries?status=failed', { headers: bearer(key) })).body.data,
      (failed) => (failed as unknown[]).length === 1,
    );
    receiver.answer = answerWith(204);
    const printed = await runFor(accountId, sampleOf('npx darkroom webhook deliveries'));
    assert.match(printed, /failed[\s\S]*410/);
    const [first, again] = (await receiver.got(sentBefore + 2)).slice(sentBefore);
    assert.equal(again?.headers['webhook-id'], first?.headers['webhook-id']);
  });

  test('a bucket is added, and a test object is written to it', async () => {
    await using store = await startS3(['images']);
    const { accountId, key } = await world.account('buckets');
    await writeFile(join(folder.path, 'key.txt'), s3Credentials.secretAccessKey);
    const [add = '', tried = ''] = sampleOf("npx darkroom webhook add 's3://images")
      .replace("eu-central-1'", `eu-central-1&endpoint=${store.endpoint}'`)
      .replace('AKIA…', s3Credentials.accessKeyId)
      .split('\n');
    await runFor(accountId, add);
    const printed = await runFor(
      accountId,
      tried.replace('019a…', (await endpointsOf(key))[0]?.endpoint_id ?? ''),
    );
    assert.match(printed, /took it: 200/);
  });
});

suite('the receiver of the guide', () => {
  test('accepts an event that Darkroom has signed, and refuses any other', async () => {
    const code = sampleOf("import { createServer } from 'node:http';");
    const port = await freePort();
    const { accountId, key } = await world.account('receiver');
    const url = `http://127.0.0.1:${port}/hook`;
    const { secret } = await addEndpoint(key, url);
    await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'));
    await writeFile(join(folder.path, 'receiver.ts'), code.replace('4000', String(port)));
    const child = spawn(process.execPath, ['receiver.ts'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await untilOpen(port);
      const said = once(child.stdout.setEncoding('utf8'), 'data');
      assert.match(await runFor(accountId, 'darkroom webhook test --account shop'), /took it: 204/);
      assert.match(String(await said), /^evt_\w+ /);
      const forged = await fetch(url, { method: 'POST', body: '{"type":"job.done"}' });
      assert.equal(forged.status, 400);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  test('receives what the guide shows: these headers, and an event with these fields', async () => {
    const [head = '', body = ''] = sampleOf('POST /hook').split('\n\n');
    const [request, ...headers] = head.split('\n').map((line) => line.split(': ')[0] ?? '');
    const { key } = await world.account('shown', { creditMicros: 1_000_000n });
    await addEndpoint(key);
    const before = receiver.received.length;
    await world.create('/nb2/text-generations', {}, bearer(key));
    const received = (await receiver.got(before + 1)).at(-1);
    assert.equal(`${received?.method} ${received?.path}`, request);
    for (const name of headers) assert.ok(received?.headers[name], name);
    const [shown, sent] = [JSON.parse(body), JSON.parse(received?.body ?? '')];
    assert.deepEqual(Object.keys(sent), Object.keys(shown));
    for (const name of Object.keys(shown.data)) assert.ok(name in sent.data, name);
    assert.match(sent.data.result.image_url, /^http/);
  });
});

async function untilOpen(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST' }).catch(() => null);
  if (!answer) await untilOpen(port);
}
