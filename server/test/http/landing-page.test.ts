import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../../src/app.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { revokeShare, shareImages } from '../../src/jobs/shares/share-images.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { openMember } from '../panel/browser.ts';
import { changeModel } from '../world/change-model.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const forPeople = { accept: 'text/html' };

test('without the setting the root is the panel, for strangers as well', async () => {
  await using world = await openWorld({ worker: false });
  assert.match(await (await fetch(world.url, { headers: forPeople })).text(), /<div id="root">/);
});

test('a stranger reads what this is and what images cost at the root; who has signed in gets the panel', async () => {
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
  // What one account pays is not for others.
  await admin().savePriceGroup('cheap', { factor: '0.5' });
  const answer = await fetch(world.url);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('vary'), 'cookie');
  assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; img-src 'self'/);
  const page = await answer.text();
  assert.match(page, /<title>Röst &amp; Söhne: images from words<\/title>/);
  assert.match(page, /<h3>&lt;i&gt;Fast&lt;\/i&gt;<\/h3><p>For &quot;all&quot;<\/p>/);
  assert.match(page, /<tr><th scope="row">1K<\/th><td>0\.04<\/td><\/tr>/);
  for (const link of ['/sign-in', '/docs', '/status', 'https://roest.example/terms'])
    assert.ok(page.includes(`href="${link}"`), link);
  for (const [, image = ''] of page.matchAll(/<img src="([^"]+)"/g))
    assert.equal((await fetch(world.url + image)).status, 200, image);
  assert.doesNotMatch(page, /<script/);

  const member = await openMember(world, { email: 'ada@example.com' });
  const { text } = await member.send('GET', '/', { headers: forPeople });
  assert.match(text, /<div id="root">/);
  assert.match(
    (await fetch(`${world.url}/sign-in`, { headers: forPeople })).headers.get('content-type') ?? '',
    /html/,
  );
});

test('its examples are what is behind the public link of the operator, and none once that has ended', async () => {
  await using world = await openWorld({ config: { sharing: true } });
  const jobId = await world.create();
  await world.finished(jobId);
  const { database } = world.app;
  const what = { accountId: world.accountId, jobIds: [jobId], withPrompts: true, days: 1 };
  const token = await shareImages({ database, clock: world.clock }, what, commandLine);
  const config = { ...world.config, landing: { examples: token } };
  await using second = await startApp(config, { clock: world.clock, log: silentLog });
  const read = async () => (await fetch(second.url ?? '')).text();
  const [, image = ''] =
    /<section class="examples"[^>]*><img src="([^"]+)" alt="[^"]+"/.exec(await read()) ?? [];
  assert.ok(image.startsWith(`/shared/${token}/${jobId}.`), image);
  assert.equal((await fetch(second.url + image)).headers.get('content-type'), 'image/webp');
  await revokeShare(database, { accountId: world.accountId, token }, commandLine);
  await world.elapse(15_000);
  assert.doesNotMatch(await read(), /class="examples"/);
});
