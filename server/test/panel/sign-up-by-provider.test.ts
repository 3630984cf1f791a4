import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignUpSettings } from '../../src/accounts/sign-up/sign-up-settings.ts';
import { readEmail } from '../alerts/read-email.ts';
import type { World } from '../world/world.ts';
import { addPerson, Browser, openOperator } from './browser.ts';
import { signIn, startProvider } from './support/oidc.ts';
import { openSignUpWorld, type SignUpWorld } from './support/sign-up.ts';

const email = 'ada@example.com';
const terms = [{ document: 'terms' as const, url: 'https://example.com/terms', version: '3' }];
const join = 'POST /panel/sign-up/oidc';
const page = '/sign-up/account';

type Provider = Awaited<ReturnType<typeof startProvider>>;

async function openTown(provider: Provider, signUp: Partial<SignUpSettings> = {}): Promise<SignUpWorld> {
  return openSignUpWorld(signUp, { env: { ...provider.env, DARKROOM_SECOND_FACTOR: 'nobody' } });
}

async function countOf(
  world: World,
  table: 'people' | 'accounts' | 'free_credits' | 'acceptances' | 'sign_ins',
) {
  const { read } = world.app.database;
  const [row] = await read
    .selectFrom(table)
    .select((eb) => eb.fn.countAll().as('all'))
    .execute();
  return Number(row?.all);
}

test('a stranger with a verified address accepts the terms and owns an account, with free credit once, and can return to it', async () => {
  await using provider = await startProvider({ email: 'Ada@Example.com', verified: true });
  await using town = await openTown(provider, { documents: terms, freeCreditMicros: 500_000n });
  const { world, smtp } = town;
  const before = [await countOf(world, 'people'), await countOf(world, 'accounts')];
  const browser = new Browser(world);
  assert.equal(await signIn(world, browser, '/'), page);
  assert.deepEqual(
    [await countOf(world, 'people'), await countOf(world, 'accounts')],
    before,
    'nothing is made yet',
  );
  assert.deepEqual(await browser.call('POST /panel/sign-up/oidc/look'), { email });
  assert.equal((await browser.try('GET /panel/session')).status, 401);
  for (const accepted of [{}, { terms: '2' }])
    assert.equal((await browser.try(join, { body: { accepted } })).body.code, 'invalid_request');
  const { person, accounts, via } = await browser.call(join, { body: { accepted: { terms: '3' } } });
  assert.deepEqual([person.name, person.email, person.email_confirmed, via], ['Ada', email, true, 'oidc']);
  assert.deepEqual(
    accounts.map(({ name, rights }) => [name, rights.includes('manage_people')]),
    [[email, true]],
  );
  const asOwner = { headers: browser.asPage(accounts[0]?.account_id) };
  assert.equal((await browser.call('GET /api/v1/balance', asOwner)).balance, '0.50');
  const { read } = world.app.database;
  const [accepted] = await read.selectFrom('acceptances').selectAll().execute();
  assert.deepEqual([accepted?.document, accepted?.version], ['terms', '3']);
  assert.ok(Math.abs(Number(accepted?.accepted_at) - world.clock.nowMs()) < 60_000);
  assert.match(readEmail((await smtp.welcomesTo(email, 1))[0]?.content ?? '').headers, /^Subject: /m);

  const again = new Browser(world);
  assert.equal(await signIn(world, again, '/jobs'), '/jobs');
  assert.equal((await again.call('GET /panel/session')).person.person_id, person.person_id);
  assert.equal(await countOf(world, 'sign_ins'), 1, 'they are known by the subject from the beginning');
  assert.equal(
    (await browser.try(join, { body: { accepted: { terms: '3' } } })).status,
    401,
    'the cookie is gone',
  );

  await browser.call('POST /panel/session/delete', { body: { give_up_balance: true } });
  assert.equal(await signIn(world, again, '/'), page);
  const second = await again.call(join, { body: { accepted: { terms: '3' } } });
  const asSecond = { headers: again.asPage(second.accounts[0]?.account_id) };
  assert.equal(
    (await again.call('GET /api/v1/balance', asSecond)).balance,
    '0.00',
    'the address had its credit',
  );
});

test('the welcome email is in the language of the browser that signed up', async () => {
  await using provider = await startProvider({ email, verified: true });
  await using town = await openTown(provider);
  const browser = new Browser(town.world);
  await signIn(town.world, browser, '/');
  const headers = { 'accept-language': 'de-AT, en;q=0.8' };
  await browser.call(join, { body: {}, headers });
  const [welcome] = await town.smtp.mailsTo(email, 1);
  assert.match(readEmail(welcome?.content ?? '').text, /Willkommen\. Ihr Konto bei/);
});

test('an address that somebody claims falsely belongs to the person that the provider names', async () => {
  await using provider = await startProvider({ email, verified: true });
  await using town = await openTown(provider);
  await addPerson(town.world, { email, accountId: town.world.accountId });
  const browser = new Browser(town.world);
  assert.equal(await signIn(town.world, browser, '/'), page);
  const { person } = await browser.call(join, { body: {} });
  assert.deepEqual([person.email, person.email_confirmed], [email, true]);
});

test('the browser’s cookie is sealed, ends after half an hour, and makes one account, however often it is sent', async () => {
  await using provider = await startProvider({ email, verified: true });
  await using town = await openTown(provider);
  const { world } = town;
  const stranger = () => [...browser.cookies].find(([name]) => name.endsWith('stranger')) ?? ['', ''];
  const browser = new Browser(world);
  await signIn(world, browser, '/');
  const [name, cookie] = stranger();
  const [text = '', ...seal] = cookie.split('.');
  const other = Buffer.from(text, 'base64url').toString().replace(email, 'eve@example.com');
  for (const forged of ['', 'x', `${Buffer.from(other).toString('base64url')}.${seal.join('.')}`, text]) {
    const mallory = new Browser(world);
    mallory.cookies.set(name, forged);
    for (const call of [join, 'POST /panel/sign-up/oidc/look'] as const)
      assert.equal((await mallory.try(call, { body: {} })).body.code, 'sign_in_refused', forged);
  }
  const raced = await Promise.all(
    Array.from({ length: 5 }, () => {
      const tab = new Browser(world);
      tab.cookies.set(name, cookie);
      return tab.try(join, { body: {} });
    }),
  );
  assert.deepEqual(raced.map(({ status }) => status).sort(), [200, 422, 422, 422, 422]);
  assert.equal((await browser.try(join, { body: {} })).status, 422);

  await using late = await startProvider({ email: 'late@example.com', verified: true });
  await using another = await openTown(late);
  const slow = new Browser(another.world);
  await signIn(another.world, slow, '/');
  await another.world.elapse(31 * 60_000);
  assert.equal((await slow.try(join, { body: {} })).body.code, 'sign_in_refused');
});

test('an unverified address, a missing invitation and disabled sign-up make nobody a customer', async () => {
  await using unverified = await startProvider({ email, verified: false });
  await using town = await openTown(unverified);
  const browser = new Browser(town.world);
  assert.equal(await signIn(town.world, browser, '/'), '/sign-in?error=oidc');
  assert.equal((await browser.try(join, { body: {} })).body.code, 'sign_in_refused');
  await using provider = await startProvider({ email, verified: true });
  await using invited = await openTown(provider, { mode: 'invited' });
  const stranger = new Browser(invited.world);
  assert.equal(await signIn(invited.world, stranger, '/'), '/sign-in?error=oidc');
  assert.equal((await stranger.try(join, { body: {} })).status, 404);
  assert.equal(
    [...stranger.cookies.keys()].some((name) => name.endsWith('stranger')),
    false,
  );
});

test('sign-ups by single sign-on count together with those by email', async () => {
  await using provider = await startProvider({ email, verified: true });
  await using town = await openTown(provider, { freeCreditMicros: 500_000n, freeCreditsPerDay: 1 });
  const { world } = town;
  assert.ok(await openOperator(world));
  await town.join('first@signs.example');
  const browser = new Browser(world);
  await signIn(world, browser, '/');
  const from = { headers: { 'x-forwarded-for': '2001:db8:77::1' } };
  for (let nth = 0; nth < 10; nth += 1)
    await new Browser(world).call('POST /panel/sign-up', { body: { email: 'many@signs.example' }, ...from });
  assert.equal((await browser.try(join, { body: {}, ...from })).status, 429);
  const { accounts } = await browser.call(join, { body: {} });
  const asOwner = { headers: browser.asPage(accounts[0]?.account_id) };
  assert.equal(
    (await browser.call('GET /api/v1/balance', asOwner)).balance,
    '0.00',
    'the day has given its credit',
  );
});
