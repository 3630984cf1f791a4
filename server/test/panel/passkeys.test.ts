import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { relyingPartyOf } from '../../src/accounts/passkeys/relying-party.ts';
import { deletePasskeysOf, listPasskeys } from '../../src/accounts/people/passkey-store.ts';
import { endSessions } from '../../src/accounts/people/people-store.ts';
import type { MemberRole } from '../../src/accounts/people/roles.ts';
import { freePort } from '../world/free-port.ts';
import { holdTransaction, somebodyWaits } from '../world/hold-transaction.ts';
import { openWorld, type World } from '../world/world.ts';
import { Browser, openMember, openOperator, password } from './browser.ts';
import { addAuthenticator } from './support/authenticator.ts';
import { type Lie, openDevice } from './support/device.ts';

const email = 'ada@example.com';
const enter = 'POST /panel/sign-in/passkey';

/** The server has a host name, because browsers have no passkeys for bare addresses. */
async function openNamed(): Promise<World> {
  const port = String(await freePort());
  const env = { PORT: port, DARKROOM_PUBLIC_URL: `http://localhost:${port}` };
  return openWorld({ worker: false, env });
}

async function openWithPasskey(world: World, role: MemberRole = 'owner') {
  const member = await openMember(world, { email, role });
  return { member, device: await addPasskey(world, member) };
}

async function addPasskey(world: World, member: Browser): Promise<ReturnType<typeof openDevice>> {
  const device = openDevice(world.url);
  const { options } = await member.call('POST /panel/session/passkeys/offer', {
    body: { current_password: password },
  });
  await member.call('POST /panel/session/passkeys', { body: { name: 'laptop', ...device.create(options) } });
  return device;
}

async function use(world: World, device: ReturnType<typeof openDevice>, lie: Lie = {}) {
  const browser = new Browser(world);
  const { options } = await browser.call('POST /panel/sign-in/passkey/offer');
  const reply = await browser.try(enter, { body: device.get(options, lie) });
  return { browser, reply };
}

suite('passkeys', () => {
  test('one is added with the password, signs in without password and code, and is listed with its last use', async () => {
    await using world = await openNamed();
    assert.equal((await new Browser(world).call('GET /panel/sign-in')).passkeys, false);
    const { member, device } = await openWithPasskey(world);
    assert.equal((await new Browser(world).call('GET /panel/sign-in')).passkeys, true);
    await addAuthenticator(member);
    const { browser, reply } = await use(world, device);
    assert.equal(reply.status, 200, reply.text);
    const session = await browser.call('GET /panel/session');
    assert.deepEqual([session.via, session.person.email], ['passkey', email]);
    const { available, data } = await browser.call('GET /panel/session/passkeys');
    assert.equal(available, true);
    assert.deepEqual(
      data.map(({ name, used_at }) => [name, used_at !== null]),
      [['laptop', true]],
    );
    const own = await browser.call('GET /panel/session/data');
    assert.deepEqual(
      own.passkeys.map(({ name }) => name),
      ['laptop'],
    );
    const { data: sessions } = await browser.call('GET /panel/session/sessions');
    assert.equal(sessions.find(({ current }) => current)?.via, 'passkey');
  });

  test('one counts as the second factor that operators need', async () => {
    const port = String(await freePort());
    const place = { PORT: port, DARKROOM_PUBLIC_URL: `http://localhost:${port}` };
    await using world = await openWorld({
      worker: false,
      env: { ...place, DARKROOM_SECOND_FACTOR: 'everyone' },
    });
    const { device } = await openWithPasskey(world);
    const { browser } = await use(world, device);
    assert.equal((await browser.call('GET /panel/session')).must_set_up_authenticator, false);
    const other = new Browser(world);
    await other.call('POST /panel/sign-in', { body: { email, password } });
    assert.equal((await other.call('GET /panel/session')).must_set_up_authenticator, true);
  });

  test('no wrong answer of a device or a stranger signs in or adds one', async () => {
    await using world = await openNamed();
    const { member, device } = await openWithPasskey(world);
    const lies: Lie[] = [{ origin: 'https://evil.example' }, { host: 'evil.example' }, { isLocked: true }];
    for (const lie of lies) {
      const { reply } = await use(world, device, lie);
      assert.deepEqual([reply.status, reply.body.code], [401, 'sign_in_refused'], JSON.stringify(lie));
    }
    const { reply: strange } = await use(world, openDevice(world.url));
    assert.equal(strange.status, 401);

    // A signature for another browser's offer, and one without an offer.
    const [asked, other] = [new Browser(world), new Browser(world)];
    const { options } = await asked.call('POST /panel/sign-in/passkey/offer');
    await other.call('POST /panel/sign-in/passkey/offer');
    const body = device.get(options);
    assert.equal((await other.try(enter, { body })).status, 401);
    assert.equal((await new Browser(world).try(enter, { body })).status, 401);
    assert.equal((await asked.try(enter, { body })).status, 200);
    assert.equal((await asked.try(enter, { body })).status, 401, 'once');

    // An offer for signing in must not add a passkey.
    const signIn = await member.call('POST /panel/sign-in/passkey/offer');
    const made = { name: 'x', ...openDevice(world.url).create(signIn.options) };
    assert.equal((await member.try('POST /panel/session/passkeys', { body: made })).status, 401);
    const offer = 'POST /panel/session/passkeys/offer';
    assert.equal((await member.try(offer, { body: { current_password: 'wrong' } })).status, 401);
    assert.equal((await member.try(offer, { body: {} })).status, 401);
  });

  test('an offer ends after five minutes', async () => {
    await using world = await openNamed();
    const { device } = await openWithPasskey(world);
    const browser = new Browser(world);
    const { options } = await browser.call('POST /panel/sign-in/passkey/offer');
    world.clock.advance(5 * 60_000);
    assert.equal((await browser.try(enter, { body: device.get(options) })).status, 401);
  });

  test('a copied device is refused once the original’s counter has advanced', async () => {
    await using world = await openNamed();
    const { device } = await openWithPasskey(world);
    assert.equal((await use(world, device, { uses: 7 })).reply.status, 200);
    assert.equal((await use(world, device, { uses: 7 })).reply.status, 401);
    assert.equal((await use(world, device, { uses: 8 })).reply.status, 200);
  });

  test('removing one needs the password, and ends only the sessions that it opened', async () => {
    await using world = await openNamed();
    const { member, device } = await openWithPasskey(world);
    const { browser } = await use(world, device);
    const { data } = await member.call('GET /panel/session/passkeys');
    const remove = 'POST /panel/session/passkeys/:passkey_id/remove';
    const params = { passkey_id: data[0]?.passkey_id ?? '' };
    assert.equal((await member.try(remove, { params, body: {} })).status, 401);
    const operator = await openOperator(world);
    const others = await operator.try(remove, { params, body: { current_password: password } });
    assert.ok([401, 404].includes(others.status), 'that of somebody else');
    await member.call(remove, { params, body: { current_password: password } });
    assert.equal((await browser.try('GET /panel/session')).status, 401);
    await member.call('GET /panel/session');
    assert.equal((await use(world, device)).reply.status, 401);
  });

  test('one that is being added while its person ends the session is not kept', async () => {
    await using world = await openNamed();
    const member = await openMember(world, { email });
    const { person } = await member.call('GET /panel/session');
    const body = { current_password: password };
    const { options } = await member.call('POST /panel/session/passkeys/offer', { body });
    const ending = holdTransaction(world, async (tx) => {
      await endSessions(tx, person.person_id);
      await deletePasskeysOf(tx, person.person_id);
    });
    await ending.begun;
    const adding = member.try('POST /panel/session/passkeys', {
      body: { name: 'laptop', ...openDevice(world.url).create(options) },
    });
    if (world.app.database.kind === 'postgres') await somebodyWaits(world);
    await ending.end();
    assert.equal((await adding).status, 401);
    assert.deepEqual(await listPasskeys(world.app.database.read, person.person_id), []);
  });

  test('deleting a person leaves none behind', async () => {
    await using world = await openNamed();
    const { member, device } = await openWithPasskey(world, 'developer');
    const operator = await openOperator(world);
    const { person } = await member.call('GET /panel/session');
    await operator.call('DELETE /admin/v1/people/:person', { params: { person: person.person_id } });
    assert.equal((await use(world, device)).reply.status, 401);
    assert.deepEqual(await world.app.database.read.selectFrom('passkeys').select('id').execute(), []);
  });

  test('a person can add at most twenty, each device once, even if several come at once for one offer', async () => {
    await using world = await openNamed();
    const { member, device } = await openWithPasskey(world);
    const body = { current_password: password };
    const offer = 'POST /panel/session/passkeys/offer';
    const { options } = await member.call(offer, { body });
    const offered = new Map(member.cookies);
    const add = async (one: ReturnType<typeof openDevice>) => {
      const browser = new Browser(world);
      for (const [name, value] of offered) browser.cookies.set(name, value);
      const made = { name: 'x', ...one.create(options) };
      return (await browser.try('POST /panel/session/passkeys', { body: made })).status;
    };
    assert.equal(await add(device), 422);
    const all = await Promise.all(Array.from({ length: 25 }, () => add(openDevice(world.url))));
    assert.equal(all.filter((status) => status === 204).length, 19);
    assert.equal((await member.try(offer, { body })).status, 422);
  });

  test('the maker’s statement about a device is not read, and its id is the one that it signed', async () => {
    await using world = await openNamed();
    const member = await openMember(world, { email });
    const { options } = await member.call('POST /panel/session/passkeys/offer', {
      body: { current_password: password },
    });
    const made = { name: 'x', ...openDevice(world.url).create(options, { statement: 'fido-u2f' }) };
    const add = 'POST /panel/session/passkeys';
    const other = { ...made, credential_id: Buffer.alloc(32).toString('base64url') };
    assert.equal((await member.try(add, { body: other })).status, 401);
    assert.equal((await member.try(add, { body: { ...made, attestation: 'AAAA' } })).status, 401);
    assert.equal((await member.try(add, { body: made })).status, 204);
  });

  test('the person is notified of a new one by email, and an operator’s link removes all', async () => {
    await using world = await openNamed();
    const member = await openMember(world, { email });
    const operator = await openOperator(world);
    const { person } = await member.call('GET /panel/session');
    const params = { person_id: person.person_id };
    await operator.call('POST /panel/operator/people/:person_id/confirm-email', { params, body: { email } });
    const device = await addPasskey(world, member);
    const emails = await world.app.database.read.selectFrom('outgoing_emails').select('kind').execute();
    assert.deepEqual(
      emails.map(({ kind }) => kind),
      ['passkey_added'],
    );
    const { browser, reply } = await use(world, device);
    assert.equal(reply.status, 200);
    await operator.call('POST /panel/operator/people/:person_id/link', { params });
    assert.equal((await browser.try('GET /panel/session')).status, 401);
    assert.equal((await use(world, device)).reply.status, 401);
  });

  test('browsers have none for bare addresses, nor over http beyond localhost, and the server says so', async () => {
    const hosts = ['http://127.0.0.1:3000', 'https://[::1]', 'http://images.example.com', 'https://10.0.0.1'];
    assert.deepEqual(hosts.map(relyingPartyOf), [null, null, null, null]);
    assert.deepEqual(relyingPartyOf('https://images.example.com:8443'), {
      id: 'images.example.com',
      origin: 'https://images.example.com:8443',
    });
    await using world = await openWorld({ worker: false });
    const member = await openMember(world, { email });
    assert.equal((await member.call('GET /panel/session/passkeys')).available, false);
    const refused = await member.try('POST /panel/session/passkeys/offer', {
      body: { current_password: password },
    });
    assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_request']);
    assert.match(refused.text, /DARKROOM_PUBLIC_URL/);
  });
});
