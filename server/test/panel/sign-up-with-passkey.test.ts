import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../world/free-port.ts';
import { Browser, tokenOf } from './browser.ts';
import { openDevice } from './support/device.ts';
import { linkIn, openSignUpWorld, ownPassword, type SignUpWorld } from './support/sign-up.ts';

const email = 'ada@example.com';
const join = 'POST /panel/sign-up/passkey';

/** Opens the world under a host name, because browsers have no passkeys for bare addresses. */
async function openTown(): Promise<SignUpWorld> {
  const port = String(await freePort());
  const env = { PORT: port, DARKROOM_PUBLIC_URL: `http://localhost:${port}` };
  return openSignUpWorld({ freeCreditMicros: 500_000n }, { env });
}

async function makeFor(browser: Browser, token: string, device: ReturnType<typeof openDevice>) {
  const { options } = await browser.call('POST /panel/sign-up/passkey/offer', { body: { token } });
  return { token, name: 'laptop', ...device.create(options) };
}

test('a stranger signs up with only a passkey, signs in with it, and sets a password by email when it is lost', async () => {
  await using town = await openTown();
  const { world, smtp } = town;
  assert.equal((await new Browser(world).call('GET /panel/sign-in')).sign_up?.passkeys, true);
  const token = tokenOf(await town.askFor(email));
  const device = openDevice(world.url);
  const browser = new Browser(world);
  const session = await browser.call(join, { body: await makeFor(browser, token, device) });
  assert.deepEqual(
    [session.via, session.person.email, session.person.email_confirmed, session.accounts.length],
    ['passkey', email, true, 1],
  );
  const { data } = await browser.call('GET /panel/session/passkeys');
  assert.deepEqual(
    data.map(({ name }) => name),
    ['laptop'],
  );
  await smtp.welcomesTo(email, 1);

  const again = new Browser(world);
  const { options } = await again.call('POST /panel/sign-in/passkey/offer');
  const back = await again.call('POST /panel/sign-in/passkey', { body: device.get(options) });
  assert.equal(back.person.person_id, session.person.person_id);

  const before = (await smtp.mailsTo(email, 0)).length;
  await new Browser(world).call('POST /panel/sign-in/forgotten', { body: { email } });
  const link = linkIn((await smtp.mailsTo(email, before + 1)).at(-1));
  const recovered = new Browser(world);
  const body = { token: tokenOf(link), password: ownPassword };
  assert.equal((await recovered.call('POST /panel/sign-in/reset', { body })).next, 'done');
  assert.equal((await browser.try('GET /panel/session')).status, 401);
  const { options: offer } = await again.call('POST /panel/sign-in/passkey/offer');
  assert.equal((await again.try('POST /panel/sign-in/passkey', { body: device.get(offer) })).status, 401);
});

test('an answer is valid once, for its link and its browser; a refused one creates no person', async () => {
  await using town = await openTown();
  const { world } = town;
  const device = openDevice(world.url);
  const [own, other] = [tokenOf(await town.askFor(email)), tokenOf(await town.askFor('bob@example.com', 2))];
  const browser = new Browser(world);
  const made = await makeFor(browser, own, device);
  const refused = async (from: Browser, body: typeof made, code: string) =>
    assert.equal((await from.try(join, { body })).body.code, code);
  // An answer to another address's link, in another browser, and one that no device of this host made.
  await refused(browser, { ...made, token: other }, 'sign_in_refused');
  await refused(new Browser(world), made, 'sign_in_refused');
  await refused(
    browser,
    { ...made, ...openDevice('https://evil.example').create({ challenge: 'x' }) },
    'sign_in_refused',
  );
  const { read } = world.app.database;
  const people = async () => (await read.selectFrom('people').select('id').execute()).length;
  const before = await people();
  await world.elapse(6 * 60_000);
  await refused(browser, made, 'sign_in_refused');
  assert.equal(await people(), before);

  const body = await makeFor(browser, own, device);
  await browser.call(join, { body });
  await refused(browser, body, 'panel_link_invalid');
  // A passkey belongs to one person: the same one is refused for the other link.
  const second = new Browser(world);
  await refused(second, await makeFor(second, other, device), 'invalid_request');
  assert.equal(await people(), before + 1);
  await second.call('POST /panel/sign-up/confirm', { body: { token: other, password: ownPassword } });
});

test('a link that is used twice at once creates one person with one credit', async () => {
  await using town = await openTown();
  const { world } = town;
  const token = tokenOf(await town.askFor(email));
  const browsers = Array.from({ length: 6 }, () => new Browser(world));
  const bodies = await Promise.all(browsers.map((one) => makeFor(one, token, openDevice(world.url))));
  const replies = await Promise.all(
    browsers.map((one, index) => one.try(join, { body: bodies[index] ?? assert.fail() })),
  );
  assert.deepEqual(replies.map(({ status }) => status).filter((status) => status === 200).length, 1);
  const { read } = world.app.database;
  assert.equal((await read.selectFrom('passkeys').select('id').execute()).length, 1);
  assert.equal((await read.selectFrom('free_credits').selectAll().execute()).length, 1);
});

test('the last passkey of a person without a password cannot be removed until there is another way in', async () => {
  await using town = await openTown();
  const { world } = town;
  const browser = new Browser(world);
  const token = tokenOf(await town.askFor(email));
  await browser.call(join, { body: await makeFor(browser, token, openDevice(world.url)) });
  const remove = async (from: Browser, body: object = {}) => {
    const [last] = (await from.call('GET /panel/session/passkeys')).data.toReversed();
    const params = { passkey_id: last?.passkey_id ?? assert.fail() };
    return from.try('POST /panel/session/passkeys/:passkey_id/remove', { params, body });
  };
  const refused = await remove(browser);
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_request']);

  // If both are removed at once, one stays.
  const { options } = await browser.call('POST /panel/session/passkeys/offer', { body: {} });
  const second = { name: 'phone', ...openDevice(world.url).create(options) };
  await browser.call('POST /panel/session/passkeys', { body: second });
  const { data } = await browser.call('GET /panel/session/passkeys');
  const replies = await Promise.all(
    data.map(({ passkey_id }) =>
      browser.try('POST /panel/session/passkeys/:passkey_id/remove', { params: { passkey_id }, body: {} }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 422]);

  await browser.call('POST /panel/session/credentials', { body: { password: ownPassword } });
  assert.equal((await remove(browser, { current_password: ownPassword })).status, 204);
});

test('in an older session, a person without a password can set neither a password nor another address', async () => {
  await using town = await openTown();
  const { world } = town;
  const browser = new Browser(world);
  const token = tokenOf(await town.askFor(email));
  const device = openDevice(world.url);
  await browser.call(join, { body: await makeFor(browser, token, device) });
  const created_at = new Date(Date.now() - 16 * 60_000).toISOString();
  await world.app.database.transaction((tx) => tx.updateTable('sessions').set({ created_at }).execute());
  const credentials = 'POST /panel/session/credentials';
  for (const body of [{ password: ownPassword }, { email: 'eve@example.com' }])
    assert.equal((await browser.try(credentials, { body })).body.code, 'sign_in_refused');
  const again = new Browser(world);
  const { options } = await again.call('POST /panel/sign-in/passkey/offer');
  await again.call('POST /panel/sign-in/passkey', { body: device.get(options) });
  await again.call(credentials, { body: { password: ownPassword } });
});
