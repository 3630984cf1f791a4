import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startApp } from '../../src/app.ts';
import { listConnections, writeConnection } from '../../src/upstream/connections/connection-store.ts';
import {
  createCredentialSealer,
  openCredentialSealer,
} from '../../src/upstream/connections/read-connections.ts';
import { Browser, openMember, openOperator, type PanelReply, password, tokenOf } from '../panel/browser.ts';
import { addAuthenticator } from '../panel/support/authenticator.ts';
import { type Received, receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { giveUpSecret } from '../world/give-up-secret.ts';
import { holdTransaction, somebodyWaits } from '../world/hold-transaction.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';

const timeout = 120_000;

function verifies({ body, headers }: Received, secret = ''): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

test('a webhook secret is rotated during deliveries: each verifies with the old secret, and later ones also with the new one', {
  timeout,
}, async () => {
  await using receiver = await startReceiver();
  await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork } });
  const member = await openMember(world, { email: 'ada@example.com' });
  await member.call('POST /api/v1/webhooks', {
    body: { url: receiver.url, events: null },
  });
  const secret = { params: { endpoint_id: 'default' } };
  const reveal = () => member.call('POST /api/v1/webhooks/:endpoint_id/reveal', secret);
  const before = await reveal();
  const old = before.secrets[0]?.secret;
  let going = true;
  let created = 0;
  const traffic = (async () => {
    for (; going; created++) await world.create();
  })();
  await receiver.got(20);
  await member.call('POST /api/v1/webhooks/:endpoint_id/rotate', {
    ...secret,
    body: { leaked: false },
  });
  const createdBefore = created;
  const fresh = (await reveal()).secrets[0]?.secret;
  assert.notEqual(fresh, old);
  // Creates continue until one that came after the rotation has its webhook.
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
  // Deliveries claimed before the rotation have one signature, all others two.
  const one = all.filter((received) => !verifies(received, fresh));
  assert.ok(one.length >= 20 && one.length < all.length);
  assert.ok(one.every(({ headers }) => headers['webhook-signature']?.split(' ').length === 1));
  assert.ok(all.filter(isLater).every((received) => verifies(received, fresh)));
});

test('a link secret is rotated by a restart while jobs run: earlier links stay valid until their time is over, and no job is lost', {
  timeout,
}, async () => {
  await using world = await openWorld({ config: { secrets: ['the old secret of this installation'] } });
  const linkOf = (job: Record<string, unknown>) => {
    const { image_url } = job.result as { image_url: string }; // a done job has a result
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

  // A link is valid for at least 24 hours; its expiry moves in steps of an hour.
  world.clock.advance(25 * 60 * 60 * 1_000 + 2_000);
  assert.equal(await statusOf(before), 403);
});

const [oldSecret, newSecret] = ['the old secret of this installation', 'the new secret of this installation'];
const email = 'ada@example.com';

test('DARKROOM_SECRET is rotated, and the old one dropped later: authenticators, backup codes and active sessions continue', {
  timeout,
}, async () => {
  await using world = await openWorld({ config: { secrets: [oldSecret] } });
  const used = await openMember(world, { email });
  const { code, backupCodes } = await addAuthenticator(used);
  const unused = await signInWith(world, code());
  const halfWay = new Browser(world);
  await halfWay.call('POST /panel/sign-in', { body: { email, password } });

  world.config.secrets = [newSecret, oldSecret];
  await world.restart();
  const still = moved(world, used);
  assert.equal((await still.call('GET /panel/session')).person.email, email);
  assert.equal((await enter(moved(world, halfWay), later(world, code))).status, 200);
  assert.equal((await tryCode(world, backupCodes[0])).status, 200);
  assert.equal((await tryCode(world, backupCodes[0])).status, 401, 'it was used up');
  await dueForRenewal(world);
  await still.call('GET /panel/session');

  world.config.secrets = [newSecret];
  await world.restart();
  assert.equal((await moved(world, still).try('GET /panel/session')).status, 200);
  assert.equal((await moved(world, unused).try('GET /panel/session')).status, 401);
  assert.equal((await tryCode(world, later(world, code))).status, 200);
  assert.equal((await tryCode(world, backupCodes[1])).status, 200);
});

test('a worker starts first with both secrets: the next start has only the new one, and authenticators continue', {
  timeout,
}, async () => {
  await using world = await openWorld({ config: { secrets: [oldSecret] } });
  const { code } = await addAuthenticator(await openMember(world, { email }));
  await world.app[Symbol.asyncDispose]();
  const worker = await startApp(
    { ...world.config, role: 'worker', secrets: [newSecret, oldSecret] },
    { clock: world.clock, log: silentLog },
  );
  await worker[Symbol.asyncDispose]();
  world.config.secrets = [newSecret];
  await world.restart();
  assert.equal((await tryCode(world, later(world, code))).status, 200);
});

test('a process still has only the old secret: what it sealed is opened by processes that have both', {
  timeout,
}, async () => {
  await using world = await openWorld({ config: { secrets: [oldSecret] } });
  const { code } = await addAuthenticator(await openMember(world, { email }));
  const sealed = await readSeals(world);
  world.config.secrets = [newSecret, oldSecret];
  await world.restart();
  assert.notDeepEqual(await readSeals(world), sealed, 'the start seals anew');
  await world.app.database.transaction((tx) => tx.updateTable('authenticators').set(sealed).execute());
  assert.equal((await tryCode(world, later(world, code))).status, 200);
  assert.notDeepEqual(await readSeals(world), sealed, 'and so does its use');
});

test('a secret is lost: sign-in with an authenticator says what to do, and a one-time link or the old secret repairs it', {
  timeout,
}, async () => {
  await using world = await openWorld({ config: { secrets: [oldSecret] } });
  const operator = await openOperator(world);
  await operator.call('POST /panel/session/credentials', { body: { email: 'grace@example.com', password } });
  const member = await openMember(world, { email });
  const { person } = await member.call('GET /panel/session');
  const { code, backupCodes } = await addAuthenticator(member);

  world.config.secrets = [newSecret];
  await giveUpSecret(world);
  await world.restart();
  const current = code();
  for (const text of [current, backupCodes[0]]) {
    const { status, body } = await tryCode(world, text);
    assert.deepEqual([status, body.code], [409, 'authenticator_unreadable']);
    assert.match(String(body.detail), /Ask an operator for a one-time link/);
  }
  world.config.secrets = [newSecret, oldSecret];
  await world.restart();
  assert.equal((await tryCode(world, current)).status, 200);

  world.config.secrets = ['a third secret of this installation'];
  await giveUpSecret(world);
  await world.restart();
  const helper = new Browser(world);
  await helper.call('POST /panel/sign-in', { body: { email: 'grace@example.com', password } });
  const { url } = await helper.call('POST /panel/operator/people/:person_id/link', {
    params: { person_id: person.person_id },
  });
  const back = new Browser(world);
  await back.call('POST /panel/links/open', { body: { token: tokenOf(url) } });
  await back.call('POST /panel/session/authenticator/remove', { body: { password } });
  const fresh = await addAuthenticator(back);
  assert.equal((await tryCode(world, fresh.code())).status, 200);
});

test("a provider's key that is saved while a restart seals the keys again is not replaced by the earlier key", {
  skip: process.env.TEST_DATABASE_URL === undefined && 'needs PostgreSQL: SQLite has one writer at a time',
}, async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const secrets = [newSecret, oldSecret];
  const sealer = createCredentialSealer(secrets);
  const home = { name: 'home', provider: 'openai', changedBy: 'somebody' } as const;
  const earlier = {
    baseUrl: 'https://one.example/v1',
    credential: createCredentialSealer([oldSecret]).seal('the earlier key', 'home'),
  };
  const saved = { baseUrl: 'https://two.example/v1', credential: sealer.seal('the saved key', 'home') };
  await database.transaction((tx) => writeConnection(tx, { ...home, ...earlier }));

  const saving = holdTransaction(world, (tx) => writeConnection(tx, { ...home, ...saved }));
  await saving.begun;
  const starting = openCredentialSealer(secrets, database, silentLog);
  await somebodyWaits(world);
  await saving.end();
  await starting;
  const [found] = await listConnections(database.read);
  assert.equal(found?.baseUrl, saved.baseUrl);
  assert.equal(sealer.open(found?.credential ?? '', 'home'), 'the saved key');
});

/** The code that the app shows a minute later, because each code works once. */
function later(world: World, code: () => string): string {
  world.clock.advance(60_000);
  return code();
}

/** The same browser after a restart, which changes the port here; a real installation keeps its address. */
function moved(world: World, browser: Browser): Browser {
  const same = new Browser(world);
  for (const [name, value] of browser.cookies) same.cookies.set(name, value);
  return same;
}

async function signInWith(world: World, code: string): Promise<Browser> {
  const browser = new Browser(world);
  await browser.call('POST /panel/sign-in', { body: { email, password } });
  assert.equal((await enter(browser, code)).status, 200);
  return browser;
}

async function tryCode(world: World, code: string | undefined): Promise<PanelReply> {
  const browser = new Browser(world);
  await browser.call('POST /panel/sign-in', { body: { email, password } });
  return enter(browser, code);
}

function enter(browser: Browser, code: string | undefined): Promise<PanelReply> {
  return browser.try('POST /panel/sign-in/code', { body: { code } });
}

/** Pretends that a day has passed, after which use renews a session. */
async function dueForRenewal(world: World): Promise<void> {
  const expires_at = new Date(Date.now() + 5 * 24 * 60 * 60 * 1_000).toISOString();
  await world.app.database.transaction((tx) => tx.updateTable('sessions').set({ expires_at }).execute());
}

async function readSeals(world: World) {
  return world.app.database.read
    .selectFrom('authenticators')
    .select(['secret', 'backup_codes'])
    .executeTakeFirstOrThrow();
}
