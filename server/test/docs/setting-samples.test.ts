import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { readList } from '../../../panel/src/features/batches/read-list.ts';
import { readConfig } from '../../src/config/config.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { startStripe } from '../emulators/stripe.ts';
import { selfSigned } from '../images/support/signing.ts';
import { Browser } from '../panel/browser.ts';
import { startProvider } from '../panel/support/oidc.ts';
import { startHook } from '../policy/support/hook.ts';
import { freePort } from '../world/free-port.ts';
import { openWorld } from '../world/world.ts';
import { sampleOf } from './support/guide-samples.ts';
import { openFolder } from './support/open-folder.ts';
import { shell, shellEnv } from './support/shell.ts';

// Runs samples that set something, or show what a service receives or sends, with the tests' own service instead.
let folder: Awaited<ReturnType<typeof openFolder>>;
before(async () => {
  folder = await openFolder();
});
after(() => folder[Symbol.asyncDispose]());

suite('settings of the guides', () => {
  test('the addresses of a pooler, of several servers and of a replica are read', async () => {
    const read = async (start: string) => readConfig(await shellEnv(sampleOf(start)));
    const pooled = await read('DATABASE_URL=postgres://user:password@pgbouncer');
    assert.match(`${pooled.databaseUrl} ${pooled.databaseDirectUrl}`, /pgbouncer:6432.* .*@postgres:5432/);
    const several = await read("DATABASE_URL='postgres://user:password@one");
    assert.match(several.databaseUrl ?? '', /one:5432,two:5432/);
    const replica = await shellEnv(sampleOf('DATABASE_READ_URL='));
    const { databaseReadUrl } = readConfig({ ...replica, DATABASE_URL: 'postgres://primary/name' });
    assert.match(databaseReadUrl ?? '', /replica:5432/);
  });

  test('people sign in through the identity provider, whose name is on the button', async () => {
    await using provider = await startProvider({ email: 'ada@example.com', verified: true });
    const issuer = provider.env.DARKROOM_OIDC_ISSUER;
    const sample = sampleOf('DARKROOM_OIDC_ISSUER=').replace('https://id.example.com', issuer);
    await using world = await openWorld({ env: await shellEnv(sample) });
    const browser = new Browser(world);
    assert.deepEqual((await browser.call('GET /panel/sign-in')).oidc, { name: 'Example ID' });
    const { url } = await browser.call('POST /panel/sign-in/oidc', { body: { return_to: '/' } });
    assert.ok(url.startsWith(`${issuer}/authorize?`), url);
    assert.equal(new URL(url).searchParams.get('client_id'), 'darkroom');
  });

  test('the certificate that signs results is read', async () => {
    const { certificates, key } = selfSigned('Example Studio');
    const place = (name: string) => join(folder.path, name);
    await writeFile(place('certificate.pem'), certificates);
    await writeFile(place('key.pem'), key);
    const sample = sampleOf('{ "marking": { "signing"').replaceAll('/etc/darkroom', folder.path);
    await writeFile(place('darkroom.json'), sample);
    const { signing } = readConfig({ DARKROOM_CONFIG: place('darkroom.json') });
    assert.deepEqual([signing?.key.trim(), signing?.timeStampUrl], [key.trim(), 'https://tsa.example.com']);
  });

  test('a ComfyUI workflow is one that a route takes', async () => {
    const workflow = JSON.parse(sampleOf('{\n  "5": { "class_type"'));
    const routes = { nb: [{ provider: 'comfyui', baseUrl: 'http://127.0.0.1:8188', workflows: [workflow] }] };
    const file = join(folder.path, 'comfyui.json');
    await writeFile(file, JSON.stringify({ routes }));
    assert.equal(readConfig({ DARKROOM_CONFIG: file }).models.routes.nb?.length, 1);
  });
});

suite('what goes to services, and what is sent here', () => {
  test('a policy’s service receives what the guide shows', async () => {
    const shown = JSON.parse(sampleOf('{\n  "input_type"'));
    await using hook = await startHook();
    const usual = {
      ...{
        url: hook.url,
        stages: ['prompt', 'image'] as const,
        timeoutMs: 5_000,
        whenDown: 'refuse' as const,
      },
      ...{ blockWords: [], maskWords: [] },
    };
    const guardrails = { usual, accounts: new Map(), keepPromptsDays: 0, strikes: null, key: null };
    await using world = await openWorld({ config: { guardrails } });
    await world.finished(await world.create('/nb2/text-generations', { prompt: shown.texts[0] }));
    const [asked] = hook.asked;
    for (const name of Object.keys(shown)) assert.ok(name in (asked?.body ?? {}), name);
    assert.deepEqual([asked?.body.input_type, asked?.body.texts], [shown.input_type, shown.texts]);
    for (const name of Object.keys(shown.request_data)) assert.ok(asked?.body.request_data[name], name);
    assert.equal(asked?.body.model, shown.model);
  });

  test('a price group is set to what the guide shows', async () => {
    await using world = await openWorld();
    const { key } = await makeAdminKey(world, 'prices', ['money']);
    const send = adminSender(world, key);
    const sample = sampleOf('{\n  "name": "Resellers"');
    const shown = JSON.parse(sample.replaceAll(/(:\d\d)Z"/g, '$1.000Z"'));
    const { status, body } = await send('PUT', '/price-groups/resellers', JSON.parse(sample));
    assert.ok(status < 300, JSON.stringify(body));
    assert.partialDeepStrictEqual(body, shown);
  });

  test('a payment page is opened, by the command and by the call', async () => {
    await using stripe = await startStripe();
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    await using world = await openWorld({
      env: { ...stripe.environment, PORT: String(port), DARKROOM_PUBLIC_URL: publicUrl },
    });
    const said = await shell(sampleOf('darkroom pay 25'), folder.path, {
      ...{ DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key },
    });
    assert.match(said, /"url": ?"http/);
    assert.equal(stripe.sessions.length, 2);
  });

  test('the panel’s table has a prompt on each line, with its own fields', () => {
    const list = readList(sampleOf('prompt,model,ratio,size'));
    assert.ok('rows' in list);
    assert.deepEqual(
      list.rows.map(({ prompt, model, ratio, resolution }) => [prompt, model, ratio, resolution]),
      [
        ['a lighthouse at dusk', 'Top tier', '16:9', '2K'],
        ['a fox, red', '', '', ''],
      ],
    );
  });
});
