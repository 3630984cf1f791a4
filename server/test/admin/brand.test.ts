import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { startApp } from '../../src/app.ts';
import { accentOf } from '../../src/base/brand/accent.ts';
import { ownBrand } from '../../src/base/brand/brand.ts';
import { readEmail } from '../alerts/read-email.ts';
import { startSmtpServer } from '../alerts/smtp-server.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { openMember } from '../panel/browser.ts';
import { openWebhookWorld } from '../webhooks/support/webhook-world.ts';
import { silentLog } from '../world/silent-log.ts';
import { openAdministration } from './admin-client.ts';

const smtp = await startSmtpServer();
const env = { SMTP_URL: `${smtp.url}?ignoreTLS=true`, DARKROOM_MAIL_FROM: 'Darkroom <darkroom@example.com>' };
const webhooks = await openWebhookWorld({
  makesImages: true,
  env,
  config: { statusPage: true, publicVerify: true },
});
const { world } = webhooks;
after(async () => {
  await webhooks[Symbol.asyncDispose]();
  await smtp[Symbol.asyncDispose]();
});
const admin = await openAdministration(world);

const base64 = (file: Buffer | string) => Buffer.from(file).toString('base64');
const square = (width: number, height: number, background = '#e8590c') =>
  sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer();
const page = async (path: string, at = world.url) => (await fetch(at + path)).text();
const panel = (at = world.url) =>
  fetch(at, { headers: { accept: 'text/html' } }).then((answer) => answer.text());
const titleOf = async (path: string) =>
  ((await (await fetch(world.url + path)).json()) as { info: { title: string } }).info.title;

test('without a brand, pages say Darkroom and show no empty parts of a brand', async () => {
  const { version, name, logo, colours } = await admin().getBrand();
  assert.deepEqual(
    { version, name, logo, colours },
    { version: 0, name: null, logo: null, colours: ownBrand.accent },
  );
  assert.match(await panel(), /<title>Darkroom<\/title>/);
  assert.match(await page('/docs/start/api'), /<title>[^<]* · Darkroom<\/title>/);
  for (const text of [await panel(), await page('/status'), await page('/verify')])
    assert.doesNotMatch(text, /brand/);
  for (const path of ['/docs', '/docs/reference'])
    assert.doesNotMatch(await page(path), /brand\.css|mailto:/, path);
  assert.equal(await titleOf('/api/v1/openapi.json'), 'Darkroom');
});

test('a brand is shown in the panel, on public pages, in documents and in emails, in every process within a second', async () => {
  await using second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const { logo } = await admin().saveBrand({
    ...{ name: 'Röst & Söhne', accent: '#0B7285', logo: base64(await square(960, 160)) },
    ...{ support_email: 'help@roest.example', terms_url: 'https://roest.example/terms' },
  });
  assert.deepEqual([logo?.width, logo?.height], [240, 40]);
  const status = await page('/status');
  assert.match(status, /<title>[^<]* · Röst &amp; Söhne<\/title>/);
  assert.match(
    status,
    /<a href="mailto:help@roest\.example">Help<\/a><a href="https:\/\/roest\.example\/terms">Terms<\/a>/,
  );
  assert.match(status, new RegExp(`<img class="" src="${logo?.url}" width="240" height="40"`));
  const verify = await fetch(`${world.url}/verify`);
  assert.match(verify.headers.get('content-security-policy') ?? '', /img-src 'self';.*form-action 'self'/);
  assert.ok((await verify.text()).includes(`src="${logo?.url}"`));
  for (const path of ['/docs', '/docs/start/api', '/docs/reference', '/docs/errors/not_found']) {
    const text = await page(path);
    assert.match(text, /<title>[^<]*Röst &amp; Söhne[^<]*<\/title>/, path);
    assert.ok(text.includes(`<link rel="icon" href="${logo?.url}" type="image/png">`), path);
    assert.ok(text.includes(`<img class="" src="${logo?.url}" width="240" height="40" alt="">Röst`), path);
    assert.match(
      text,
      /<a href="mailto:help@roest\.example">Help<\/a><a href="[^"]*\/terms">Terms<\/a>/,
      path,
    );
    assert.doesNotMatch(text, /icon\.svg/, path);
    assert.ok(text.includes('href="/docs/brand.css"'), path);
  }
  assert.match(await page('/docs/brand.css'), /--fill: #0b7285; --on-fill: #fffefc;/);
  const shown = await panel();
  assert.match(
    shown,
    /<title>Röst &amp; Söhne<\/title><meta name="brand" content="\{&quot;name&quot;:&quot;Röst &amp; Söhne/,
  );
  assert.match(shown, /--fill:#0b7285;--on-accent:#fffefc/);
  await eventually(
    () => panel(second.url ?? ''),
    (text) => text === '' || text.includes('Röst &amp; Söhne'),
  );
  const file = await fetch(world.url + logo?.url);
  assert.equal(file.headers.get('content-type'), 'image/png');
  assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal((await sharp(Buffer.from(await file.arrayBuffer())).metadata()).width, 480);
  assert.equal(await titleOf('/api/v1/openapi.json'), 'Röst & Söhne');
  assert.equal(await titleOf('/admin/v1/openapi.json'), 'Röst & Söhne administration');
});

test('emails have the brand’s name as their sender, its logo and its colour', async () => {
  const { accountId, key } = await world.account('branded', { creditMicros: 500_000n });
  await openMember(world, { email: 'owner@branded.test', accountId, emailConfirmed: true });
  await webhooks.operations.changeAccountAlerts(accountId, { balance_low: '0.50' });
  await world.finished(await world.create(undefined, {}, bearer(key)), key);
  while (smtp.taken.length === 0) await webhooks.nextAttempt();
  const { headers, html, text } = readEmail(smtp.taken[0]?.content ?? '');
  assert.match(headers, /^From: Röst & Söhne <darkroom@example\.com>$/m);
  assert.match(html, /<img class="" src="cid:logo" width="240" height="40"/);
  assert.match(html, /class="fill" bgcolor="#0b7285"/);
  assert.match(text, /^Help: help@roest\.example$/m);
  assert.match(smtp.taken[0]?.content ?? '', /^Content-Id: <logo>$/im);
});

test('a name that would break a header, and other wrong fields, are refused with the field’s name', async () => {
  const before = await admin().getBrand();
  for (const [pointer, brand] of [
    ['/name', { name: 'Acme\r\nBcc: all@example.com' }],
    ['/name', { name: 'Acme <img src=x onerror=alert(1)>' }],
    ['/name', { name: 'Ac\u202eme' }],
    ['/name', { name: '   ' }],
    ['/name', { name: 'x'.repeat(61) }],
    ['/accent', { name: 'Acme', accent: 'red;}' }],
    ['/accent', { name: 'Acme', accent: '#fff' }],
    ['/support_email', { name: 'Acme', support_email: 'help@example.com?bcc=all@example.com' }],
    ['/terms_url', { name: 'Acme', terms_url: 'javascript:alert(1)' }],
    ['/privacy_url', { name: 'Acme', privacy_url: 'https://user:secret@example.com' }],
    ['/logo', { name: 'Acme', logo: base64('not an image') }],
    [
      '/logo',
      {
        name: 'Acme',
        logo: base64(
          await sharp(await square(8, 8))
            .gif()
            .toBuffer(),
        ),
      },
    ],
    ['/logo', { name: 'Acme', logo: base64(Buffer.alloc(300_000)) }],
  ] as const)
    await assert.rejects(
      admin().saveBrand(brand),
      (error: Error & { code?: string }) =>
        error.code === 'invalid_request' && error.message.includes(pointer),
      JSON.stringify(brand).slice(0, 100),
    );
  await assert.rejects(admin().saveBrand({ name: 'Acme', logo: base64(Buffer.alloc(10_000_000)) }), {
    code: 'body_too_large',
  });
  assert.deepEqual(await admin().getBrand(), before);
});

test('an SVG is drawn, so that its scripts, addresses and text reach no visitor', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 20" onload="alert(1)"><script>alert(1)</script>
<image href="file:///etc/passwd" width="9" height="9"/><image href="${world.url}/healthz" width="9" height="9"/>
<rect width="60" height="20" fill="#101010" rx="9"/><foreignObject><p>alert(1)</p></foreignObject></svg>`;
  const { logo } = await admin().saveBrand({ name: 'Acme', logo: base64(svg) });
  const bytes = Buffer.from(await (await fetch(world.url + logo?.url)).arrayBuffer());
  const { format, width, height } = await sharp(bytes).metadata();
  assert.deepEqual([format, width, height], ['png', 240, 80]);
  assert.doesNotMatch(bytes.toString('latin1'), /alert|script|passwd/);
  assert.match(await page('/status'), /class="unseen-on-dark"/, 'it is as dark as a dark page');
});

test('a colour that would be invisible is mixed with ink until it is visible, and text on it is legible', async () => {
  for (const accent of ['#ffd43b', '#ffffff', '#000000', '#141110', '#0b7285', '#808080']) {
    const { colours } = await admin().previewBrand({ name: 'Acme', accent });
    for (const [scheme, paper] of [
      ['light', '#fcfbf9'],
      ['dark', '#141110'],
    ] as const) {
      const { fill, text } = colours[scheme];
      assert.ok(contrast(fill, paper) >= 3, `${accent} on ${scheme} is ${fill}`);
      assert.ok(contrast(fill, text) >= 4.5, `${text} on ${fill}`);
    }
  }
});

test('text on a button of any colour is legible', () => {
  const steps = Array.from({ length: 18 }, (_, step) => (step * 15).toString(16).padStart(2, '0'));
  const colours = steps.flatMap((red) =>
    steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)),
  );
  for (const colour of [...colours, '#0a82af'])
    for (const { fill, text } of Object.values(accentOf(colour)))
      assert.ok(contrast(fill, text) >= 4.5, `${text} on ${fill}`);
});

test('if two operators save at once, one receives an error, and one of the two brands is stored whole', async () => {
  const { version } = await admin().getBrand();
  const wanted = ['One', 'Two'].map((name) => ({ version, name, support_email: `help@${name}.example` }));
  const ends = await Promise.allSettled(wanted.map((brand) => admin().saveBrand(brand)));
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
  assert.deepEqual(refused, ['changed_meanwhile']);
  const { name, support_email, version: now } = await admin().getBrand();
  assert.equal(support_email, `help@${name}.example`);
  assert.equal(now, version + 1);
});

test('a preview changes nothing, and shows every email with the new brand', async () => {
  const before = await admin().getBrand();
  const { logo, emails } = await admin().previewBrand({ name: 'Else', logo: base64(await square(40, 40)) });
  assert.match(logo ?? '', /^data:image\/png;base64,/);
  for (const { html, text } of emails) {
    assert.match(html, />Else<\/td>/);
    assert.match(html, /<img class="" src="data:image\/png;base64,/);
    assert.ok(text.length > 0);
  }
  assert.deepEqual(await admin().getBrand(), before);
  const listed = (await admin().listEmails()).map(({ kind, subject }) => [kind, subject]);
  assert.deepEqual(
    listed,
    emails.map(({ kind, subject }) => [kind, subject]),
  );
  const subjects = listed.map(([, subject]) => subject);
  assert.deepEqual(subjects, [
    'Low balance: Acme',
    '80 % of a spend limit is used: Acme',
    'A spend limit stops new images: Acme',
    'An API key expires soon: website',
    'Receipt for 25.00 USD: Acme',
    'Automatic top-up has stopped: Acme',
    'Requests refused by the policy: Acme',
    'Confirm your address',
    'You are invited to sign up',
    'You have an account already',
    'Your account is ready',
    'Set a new password',
    'Your password was changed',
    'A passkey was added',
    'Sold below its cost: nb2',
  ]);
});

test('once the brand is removed, pages say Darkroom again, and the logo is gone', async () => {
  const { logo } = await admin().saveBrand({ name: 'Acme', logo: base64(await square(40, 40)) });
  await admin().removeBrand();
  assert.equal((await admin().getBrand()).name, null);
  assert.equal((await fetch(world.url + logo?.url)).status, 404);
  assert.doesNotMatch(await panel(), /brand/);
});

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [one, other].map(luminance).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
