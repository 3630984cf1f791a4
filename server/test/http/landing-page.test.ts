import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startApp } from '../../src/app.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { readConfig } from '../../src/config/config.ts';
import { revokeShare, shareImages } from '../../src/jobs/shares/share-images.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { openMember } from '../panel/browser.ts';
import { changeModel } from '../world/change-model.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';
import { eventually } from './support/requests.ts';

const forPeople = { accept: 'text/html' };

test('without the setting, the root is the panel, even for strangers', async () => {
  await using world = await openWorld({ worker: false });
  assert.match(await (await fetch(world.url, { headers: forPeople })).text(), /<div id="root">/);
});

test('a stranger reads at the root what this is and what images cost; a signed-in person gets the panel', async () => {
  await using world = await openWorld({
    worker: false,
    config: { landing: { examples: null }, statusPage: true },
  });
  const admin = await openAdministration(world);
  await admin().saveBrand({ name: 'Röst & Söhne', terms_url: 'https://roest.example/terms' });
  await changeModel(
    world,
    'nb2',
    (model) => model && { ...model, name: '<i>Fast</i>', description: 'For "all"' },
  );
  // An account's own prices must not be shown to others.
  await admin().savePriceGroup('cheap', { factor: '0.5' });
  const answer = await fetch(world.url);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('vary'), 'cookie, Accept-Language, Accept-Encoding');
  assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; img-src 'self'/);
  const page = await answer.text();
  assert.match(page, /<title>Röst &amp; Söhne: images from words<\/title>/);
  assert.match(page, /<h3>&lt;i&gt;Fast&lt;\/i&gt;<\/h3><p>For &quot;all&quot;<\/p>/);
  assert.match(page, /<tr><th scope="row">1K<\/th><td>0\.04<\/td><\/tr>/);
  for (const link of ['/sign-in', '/docs', '/status', 'https://roest.example/terms'])
    assert.ok(page.includes(`href="${link}"`), link);
  for (const [, image = ''] of page.matchAll(/<img src="([^"]+)"/g))
    assert.equal((await fetch(world.url + image)).status, 200, image);
  assert.doesNotMatch(page, /<script|sign-up/);
  const known = { 'if-none-match': answer.headers.get('etag') ?? '' };
  assert.equal((await fetch(world.url, { headers: known })).status, 304);
  await admin().saveBrand({ name: 'Else' });
  assert.match(await (await fetch(world.url, { headers: known })).text(), /<title>Else:/);

  const member = await openMember(world, { email: 'ada@example.com' });
  const { text } = await member.send('GET', '/', { headers: forPeople });
  assert.match(text, /<div id="root">/);
  assert.match(
    (await fetch(`${world.url}/sign-in`, { headers: forPeople })).headers.get('content-type') ?? '',
    /html/,
  );
});

test('if anybody may sign up, the page offers that first', async () => {
  const signUp = {
    mode: 'open' as const,
    documents: [],
    freeCreditMicros: 0n,
    freeCreditsPerDay: 100,
    limits: {},
  };
  await using world = await openWorld({ worker: false, config: { landing: { examples: null }, signUp } });
  const page = await (await fetch(world.url)).text();
  assert.match(
    page,
    /<nav>.*<a href="\/sign-in">Sign in<\/a><a class="button" href="\/sign-up">Sign up<\/a>/,
  );
  assert.match(page, /class="actions"><a class="button" href="\/sign-up">/);
});

test('its sample request works, and is left out if no model makes images from text', async () => {
  await using world = await openWorld({ worker: false, config: { landing: { examples: null } } });
  const read = async () => (await fetch(world.url)).text();
  await changeModel(world, 'nb', (model) => model && { ...model, modes: ['url'] });
  await changeModel(world, 'nb2', (model) => model && { ...model, ratios: ['3:2'] });
  const page = await read();
  const [, path = '', body = ''] =
    /<code>curl \S+\/api\/v1(\S+) .*?-d '([^']+)'<\/code>/s.exec(page.replaceAll('&quot;', '"')) ?? [];
  assert.equal(path, '/nb2/text-generations');
  const made = await world.send('POST', path, { body });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  for (const { id } of world.app.catalogue.list())
    await changeModel(world, id, (model) => model && { ...model, modes: ['url'] });
  assert.doesNotMatch(await read(), /By API/);
});

test('its examples are the images of the operator’s public link, at addresses that open nothing else, until the link ends', async () => {
  await using world = await openWorld({ config: { sharing: true } });
  const jobId = await world.create();
  await world.finished(jobId);
  const { database } = world.app;
  const what = { accountId: world.accountId, jobIds: [jobId], withPrompts: true, days: 1 };
  const token = await shareImages({ database, clock: world.clock }, what, commandLine);
  const config = { ...world.config, landing: { examples: token } };
  const failures: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void failures.push(event) };
  await using second = await startApp(config, { clock: world.clock, log });
  const read = async () => (await fetch(second.url ?? '')).text();
  const hasExamples = (text: string) => text.includes('class="examples"');
  const page = await eventually(read, hasExamples);
  const [, image = ''] = /<section class="examples"[^>]*><img src="([^"]+)" alt="a fox"/.exec(page) ?? [];
  assert.match(image, /^\/landing\/[0-9a-f]{16}\.webp$/);
  assert.ok(!page.includes(token) && !page.includes(jobId));
  const answer = await fetch(second.url + image);
  assert.equal(answer.headers.get('content-type'), 'image/webp');
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=3600');
  assert.match(Buffer.from(await answer.arrayBuffer()).toString('latin1'), /^RIFF....WEBP/s);

  // Simulates a database that cannot be read.
  await database.transaction((tx) => sql`alter table shares rename to shares_away`.execute(tx));
  await world.elapse(15_000);
  await eventually(read, () => failures.includes('landing.examples_not_read'));
  assert.ok((await read()).includes(image));
  await database.transaction((tx) => sql`alter table shares_away rename to shares`.execute(tx));

  await revokeShare(database, { accountId: world.accountId, token }, commandLine);
  await world.elapse(15_000);
  await eventually(read, (text) => !hasExamples(text));
  assert.equal((await fetch(second.url + image)).status, 404);
});

test('an invalid link, or one that nobody can open, is refused at the start', () => {
  const token = 'AbCdEfGhIjKlMnOpQrStUv';
  const read = (link: string, sharing = 'true') =>
    readConfig({
      DARKROOM_LANDING_PAGE: 'true',
      DARKROOM_LANDING_EXAMPLES: link,
      DARKROOM_SHARING: sharing,
    }).landing;
  const link = `https://images.example.com/shared/${token}`;
  assert.deepEqual(read(link), { examples: token });
  assert.deepEqual(read(''), { examples: null });
  for (const wrong of [`${link}/`, `${link}?w=1`, `${link}/x.png`, link.slice(0, -1), token])
    assert.throws(() => read(wrong), /must be a public link as shown in the panel/, wrong);
  assert.throws(() => read(link, 'false'), /set DARKROOM_SHARING=true/);
});
