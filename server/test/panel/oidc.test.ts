import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { addPerson, Browser, openOperator, password } from './browser.ts';
import { authorize, settings, signIn, startProvider } from './support/oidc.ts';

const email = 'ada@example.com';

suite('signing in with an identity provider', () => {
  test('an invited person gets in, and returns to the page they wanted', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
    assert.deepEqual((await new Browser(world).call('GET /panel/sign-in')).oidc, { name: 'Example ID' });
    const browser = new Browser(world);
    const location = await signIn(world, browser, '/jobs?status=done');
    assert.equal(location, '/jobs?status=done');
    const session = await browser.call('GET /panel/session');
    assert.deepEqual([session.person.email, session.via, session.may_reset_password], [email, 'oidc', false]);
    const { data } = await (await openOperator(world)).call('GET /admin/v1/audit');
    const entry = data.find(({ action }) => action === 'person.signed_in');
    assert.deepEqual([entry?.detail, entry?.address], [{ with: 'single sign-on' }, '127.0.0.1']);
  });

  test('an account at the provider gives no rights by itself', async () => {
    await using provider = await startProvider({ email: 'stranger@example.com', verified: true });
    await using world = await openWorld({ env: provider.env });
    const browser = new Browser(world);
    assert.equal(await signIn(world, browser, '/'), '/sign-in?error=oidc');
    assert.equal((await browser.try('GET /panel/session')).status, 401);
  });

  test('an email that the provider has not verified signs nobody in', async () => {
    await using provider = await startProvider({ email, verified: false });
    await using world = await openWorld({ env: provider.env });
    await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
    assert.equal(await signIn(world, new Browser(world), '/'), '/sign-in?error=oidc');
  });

  test('the return link is worthless in another browser', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    await addPerson(world, { email, accountId: world.accountId, emailConfirmed: true });
    const back = await authorize(new Browser(world), '/');
    const victim = new Browser(world);
    assert.equal((await victim.send('GET', back)).headers.get('location'), '/sign-in?error=oidc');
    assert.equal((await victim.try('GET /panel/session')).status, 401);
  });

  test('a person who claims a stranger’s email is not whom the stranger signs in as, until an operator confirms it as theirs', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    const operator = await openOperator(world);
    const mallory = { email: 'mallory@example.com', accountId: world.accountId, emailConfirmed: true };
    const person_id = await addPerson(world, mallory);
    const member = new Browser(world);
    await member.call('POST /panel/sign-in', { body: { email: mallory.email, password } });
    const taken = await member.call('POST /panel/session/credentials', {
      body: { email, current_password: password },
    });
    assert.deepEqual([taken.person.email, taken.person.email_confirmed], [email, false]);
    const stranger = new Browser(world);
    assert.equal(await signIn(world, stranger, '/'), '/sign-in?error=oidc');
    assert.equal((await stranger.try('GET /panel/session')).status, 401);

    const confirm = (address: string) =>
      operator.try('POST /panel/operator/people/:person_id/confirm-email', {
        params: { person_id },
        body: { email: address },
      });
    assert.equal((await confirm(mallory.email)).status, 422, 'it is not theirs any more');
    assert.equal(await signIn(world, stranger, '/'), '/sign-in?error=oidc');
    assert.equal((await confirm(email)).status, 200);
    assert.equal(await signIn(world, stranger, '/'), '/');
    assert.equal((await stranger.call('GET /panel/session')).person.person_id, person_id);
  });

  test('starting a sign-in writes nothing, and can be repeated without limit only while the provider answers', async () => {
    await using provider = await startProvider({ email, verified: true });
    await using world = await openWorld({ env: provider.env });
    for (let index = 0; index < 30; index++)
      await new Browser(world).call('POST /panel/sign-in/oidc', { body: {} });
    const rows = await world.app.database.read.selectFrom('verifications').selectAll().execute();
    assert.deepEqual(rows, []);

    await using away = await openWorld({ env: settings('http://127.0.0.1:9') });
    await using _held = await away.hold();
    const statuses: number[] = [];
    for (let index = 0; index < 22; index++)
      statuses.push((await new Browser(away).try('POST /panel/sign-in/oidc', { body: {} })).status);
    assert.deepEqual(statuses, [...Array(20).fill(422), 429, 429]);
  });

  test('failing returns are not passed on to the provider for ever', async () => {
    await using provider = await startProvider({ email: 'stranger@example.com', verified: true });
    await using world = await openWorld({ env: provider.env });
    await using _held = await world.hold(); // half a minute later, one more return would be passed on
    for (let index = 0; index < 25; index++)
      assert.equal(
        await signIn(world, new Browser(world), '/').catch(() => 'limited'),
        index < 20 ? '/sign-in?error=oidc' : 'limited',
      );
    assert.equal(provider.exchanges(), 20);
  });

  test('a provider that is down does not prevent signing in with a password', async () => {
    await using world = await openWorld({ env: settings('http://127.0.0.1:9') });
    await addPerson(world, { email, accountId: world.accountId });
    assert.ok((await new Browser(world).try('POST /panel/sign-in/oidc', { body: {} })).status < 500);
    const reply = await new Browser(world).try('POST /panel/sign-in', {
      body: { email, password },
    });
    assert.equal(reply.status, 200);
  });
});
