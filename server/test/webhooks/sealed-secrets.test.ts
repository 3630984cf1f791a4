import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startApp } from '../../src/app.ts';
import { makeSigningSecret } from '../../src/notify/webhooks/sign-request.ts';
import type { Replacements } from '../../src/start/open-base.ts';
import { openOperator } from '../world/commands.ts';
import { giveUpSecret } from '../world/give-up-secret.ts';
import { silentLog } from '../world/silent-log.ts';
import { type Received, startReceiver } from './support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const [old, fresh] = ['the old secret of this installation', 'the new secret of this installation'];

const stored = ({ world }: WebhookWorld) =>
  world.app.database.read.selectFrom('signing_secrets').select('secret').orderBy('secret').execute();

async function secretOf({ operations, world }: WebhookWorld): Promise<string> {
  return (await operations.revealEndpointSecret(world.accountId, 'default')).secrets[0]?.secret ?? 'none';
}

async function restartWith({ world }: WebhookWorld, secrets: string[]): Promise<void> {
  world.config.secrets = secrets;
  await world.restart();
}

/** The previous secret is lost. */
async function restartWithout(webhooks: WebhookWorld, secrets: string[]): Promise<void> {
  webhooks.world.config.secrets = secrets;
  await giveUpSecret(webhooks.world);
  await webhooks.world.restart();
}

const verify = ({ body, headers }: Received, secret: string) => new Webhook(secret).verify(body, headers);

test('the database alone reveals no webhook secret, and the secret survives a rotation of DARKROOM_SECRET', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld({ config: { secrets: [old] } });
  const { world } = webhooks;
  await webhooks.operations.replaceEndpoint(world.accountId, 'default', { url: receiver.url });
  const secret = await secretOf(webhooks);
  assert.match(secret, /^whsec_/);
  const before = await stored(webhooks);
  assert.match(before[0]?.secret ?? '', /^v1\.[0-9a-f]{8}\.[\w-]+$/);

  await restartWith(webhooks, [fresh, old]);
  assert.notDeepEqual(await stored(webhooks), before, 'the start seals anew');
  await restartWith(webhooks, [fresh]);
  assert.equal(await secretOf(webhooks), secret);
  await webhooks.failJob();
  const [received] = await receiver.got(1);
  assert(received);
  verify(received, secret);
});

test('a start with a new DARKROOM_SECRET that is killed loses no webhook secret, if the next has only the new one', async () => {
  await using webhooks = await openWebhookWorld({ config: { secrets: [old] } });
  const { world } = webhooks;
  const secret = await secretOf(webhooks);
  await world.app[Symbol.asyncDispose]();
  const killed: Replacements = {
    clock: world.clock,
    log: silentLog,
    get routes(): never {
      throw new Error('killed'); // routes are opened after the secrets
    },
  };
  await assert.rejects(startApp({ ...world.config, secrets: [fresh, old] }, killed), /killed/);
  await restartWith(webhooks, [fresh]);
  assert.equal(await secretOf(webhooks), secret);
});

test('secrets that an earlier version stored in plain text are sealed by the next start, and continue to sign', async () => {
  await using webhooks = await openWebhookWorld({ config: { secrets: [old] } });
  await secretOf(webhooks);
  const readable = makeSigningSecret();
  await webhooks.world.app.database.transaction((tx) =>
    tx.updateTable('signing_secrets').set({ secret: readable }).execute(),
  );
  assert.equal(await secretOf(webhooks), readable);
  await webhooks.world.restart();
  assert.ok((await stored(webhooks)).every(({ secret }) => secret.startsWith('v1.')));
  assert.equal(await secretOf(webhooks), readable);
});

test('if DARKROOM_SECRET is lost, nothing is sent unsigned; the old secret or a rotation repairs it', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld({ config: { secrets: [old] } });
  const { world } = webhooks;
  const account = world.accountId;
  await webhooks.operations.replaceEndpoint(account, 'default', { url: receiver.url });
  const secret = await secretOf(webhooks);

  await restartWithout(webhooks, [fresh]);
  await webhooks.failJob();
  const [attempt] = await webhooks.attempted(1);
  assert.equal(attempt?.outcome, 'secret_unreadable');
  assert.deepEqual(receiver.received, []);
  const unreadable = { code: 'webhook_secret_unreadable' };
  await assert.rejects(webhooks.operations.revealEndpointSecret(account, 'default'), unreadable);
  await assert.rejects(webhooks.operations.testEndpoint(account, 'default'), unreadable);

  await restartWith(webhooks, [fresh, old]);
  await webhooks.makeDue();
  const [late] = await receiver.got(1);
  assert(late);
  verify(late, secret);

  await restartWithout(webhooks, ['a third secret of this installation']);
  const rotated = await webhooks.operations.rotateEndpointSecret(account, 'default');
  await webhooks.failJob();
  const [, last] = await receiver.got(2);
  assert(last);
  verify(last, rotated.secrets[0]?.secret ?? '');
});

test('a sealed secret is worthless in another account’s row', async () => {
  await using webhooks = await openWebhookWorld({ config: { secrets: [old] } });
  const { world } = webhooks;
  const { accountId: other } = await world.account('other');
  await webhooks.operations.replaceEndpoint(other, 'default', { url: 'https://example.com/hook' });
  await world.app.database.transaction((tx) =>
    tx.updateTable('signing_secrets').set({ owner_id: world.accountId }).execute(),
  );
  await assert.rejects(webhooks.operations.revealEndpointSecret(world.accountId, 'default'), {
    code: 'webhook_secret_unreadable',
  });
});

test('a command with another DARKROOM_SECRET than the server’s refuses to create a secret, with a sentence; the rest works', async () => {
  await using webhooks = await openWebhookWorld({ env: { DARKROOM_SECRET: old } });
  const { world } = webhooks;
  const { dataDir: DARKROOM_DATA_DIR, databaseUrl: DATABASE_URL } = world.config;
  const env = { DARKROOM_DATA_DIR, DATABASE_URL };
  const webhook = { url: 'https://example.com/hook' };
  {
    await using operator = await openOperator(env);
    await assert.rejects(
      operator.replaceEndpoint(world.accountId, 'default', webhook),
      /^SettingError: The secret of this database is missing/,
    );
    await assert.rejects(
      operator.createAccount({ name: 'shop', webhook: webhook.url }),
      /The secret of this database is missing/,
    );
    assert.deepEqual((await operator.listAccounts()).data.map(({ name }) => name).sort(), ['demo', 'tests']);
  }
  await using operator = await openOperator({ ...env, DARKROOM_SECRET: `${fresh},${old}` });
  assert.equal((await operator.replaceEndpoint(world.accountId, 'default', webhook)).url, webhook.url);
});
