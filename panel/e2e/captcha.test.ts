import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { CaptchaSettings } from '../../server/src/accounts/captcha/captcha-settings.ts';
import { type SmtpServer, startSmtpServer } from '../../server/test/alerts/smtp-server.ts';
import { secret, startSiteverify } from '../../server/test/emulators/siteverify.ts';
import { freePort } from '../../server/test/world/free-port.ts';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { type Look, openPanel, type Panel, skip } from './support.ts';

const screens: (Look & { name: string })[] = [
  { name: 'a laptop', width: 1366, height: 768 },
  { name: 'a phone', width: 390, height: 844, touch: true },
];

interface Town extends AsyncDisposable {
  panel: Panel;
  smtp: SmtpServer;
}

async function openTown(captcha: CaptchaSettings): Promise<Town> {
  await using stack = new AsyncDisposableStack();
  const smtp = stack.use(await startSmtpServer());
  const port = String(await freePort());
  const env = {
    ...{ SMTP_URL: `${smtp.url}?ignoreTLS=true`, DARKROOM_MAIL_FROM: 'darkroom@example.com' },
    ...{ DARKROOM_SIGN_UP: 'open', PORT: port, DARKROOM_PUBLIC_URL: `http://127.0.0.1:${port}` },
  };
  const panel = stack.use(await openPanel({ env, config: { captcha } }));
  const open = stack.move();
  return { panel, smtp, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Imitates a vendor's script, and the frame with a button that it adds. */
const widgets = (name: string, frame: string) => `
  window.${name} = {
    shown: new Map(),
    render(place, options) {
      const id = 'widget-' + this.shown.size;
      const frame = document.createElement('iframe');
      frame.src = ${JSON.stringify(frame)};
      frame.title = 'Widget of the vendor';
      frame.width = place.clientWidth;
      frame.height = 65;
      frame.lang = options.language;
      frame.className = options.theme;
      place.append(frame);
      const hear = ({ data }) => data.token && options.callback(data.token);
      addEventListener('message', hear);
      this.shown.set(id, () => { removeEventListener('message', hear); frame.remove(); });
      return id;
    },
    remove(id) { this.shown.get(id)(); },
  };`;
const frameWith = (token: string) =>
  `<!doctype html><html lang="en"><title>Widget</title><body style="margin:0"><main><h1 style="font-size:14px;margin:0">Check</h1><button onclick="parent.postMessage({ token: '${token}' }, '*')">I am human</button></main>`;

const vendors = [
  {
    kind: 'turnstile',
    hosts: 'https://challenges.cloudflare.com/**',
    frame: 'https://challenges.cloudflare.com/frame',
  },
  { kind: 'hcaptcha', hosts: 'https://*.hcaptcha.com/**', frame: 'https://newassets.hcaptcha.com/frame' },
] as const;

async function serveVendor(page: Page, { kind, hosts, frame }: (typeof vendors)[number], earn: () => string) {
  await page.route(hosts, (route) =>
    route.request().url() === frame
      ? route.fulfill({ contentType: 'text/html', body: frameWith(earn()) })
      : route.fulfill({ contentType: 'text/javascript', body: widgets(kind, frame) }),
  );
}

suite('forms that a captcha guards', { skip }, () => {
  for (const vendor of vendors)
    test(`${vendor.kind} shows its widget only on these pages, and the page says if it is blocked`, async () => {
      await using asked = await startSiteverify('timeout-or-duplicate');
      const { kind } = vendor;
      const settings = { kind, siteKey: 'site', secret, verifyUrl: asked.url, timeoutMs: 5_000 };
      await using town = await openTown(settings);
      for (const { name, ...look } of screens) {
        const page = await town.panel.visitor(look);
        const foreign: string[] = [];
        page.on('request', (request) => {
          const { origin, protocol } = new URL(request.url());
          if (/^https?:$/.test(protocol) && origin !== town.panel.world.url) foreign.push(origin);
        });
        let earned = asked.earn({ host: 'elsewhere.example' });
        await serveVendor(page, vendor, () => earned);
        await page.goto('/sign-in');
        await page.getByRole('link', { name: 'Sign up' }).waitFor();
        assert.deepEqual(foreign, []);
        await page.getByRole('link', { name: 'Sign up' }).click();
        const send = page.getByRole('button', { name: 'Send me the link' });
        await send.waitFor();
        await page.getByLabel('Email').fill(`${look.width}@signs.example`);
        await settles(() => send.getAttribute('aria-disabled'), 'true');
        const human = page.frameLocator('iframe').getByRole('button', { name: 'I am human' });
        await human.click();
        await check(page, `a sign-up with ${kind} on ${name}`);
        earned = asked.earn();
        await send.click();
        // The first token was for another host; the next widget makes a new one.
        await page.getByText('Check not passed').waitFor();
        await page.locator('button[aria-disabled=true]').waitFor();
        await human.click();
        await page.locator('button[type=submit]:not([aria-disabled=true])').click();
        await page.getByText('Check your inbox').waitFor();
        await page.getByRole('link', { name: 'Back to sign-in' }).click();
        await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
        assert.equal(await page.evaluate((name) => name in window, kind), false, 'its script stays behind');
      }
      const blocked = await town.panel.visitor({ width: 390, height: 844 });
      await blocked.route(vendor.hosts, (route) => route.abort('blockedbyclient'));
      await blocked.goto('/forgotten-password');
      await blocked.getByText('The check that you are human did not load').waitFor();
      await check(blocked, `${kind} is blocked`);
      await serveVendor(blocked, vendor, () => asked.earn());
      await blocked.getByRole('link', { name: 'load the page again' }).click();
      await blocked.frameLocator('iframe').getByRole('button', { name: 'I am human' }).waitFor();

      const german = await town.panel.visitor({ locale: 'de-AT', scheme: 'dark' });
      await serveVendor(german, vendor, () => asked.earn());
      const script = german.waitForRequest((request) => request.url().includes('/api.js'));
      await german.goto('/forgotten-password');
      await german.locator('iframe.dark[lang=de]').waitFor();
      if (kind === 'hcaptcha') assert.equal(new URL((await script).url()).searchParams.get('hl'), 'de');
    });

  test('Altcha works when the form is sent, on a phone too, and contacts no other server', async (t) => {
    await using town = await openTown({ kind: 'altcha' });
    for (const { name, ...look } of screens) {
      const page = await town.panel.visitor(look);
      await page.goto('/sign-up');
      await page.getByLabel('Email').fill(`${look.width}@signs.example`);
      const began = performance.now();
      await page.getByRole('button', { name: 'Send me the link' }).click();
      await page.getByText('Check your inbox').waitFor();
      t.diagnostic(`${Math.round(performance.now() - began)} ms on ${name}`);
      assert.equal((await town.smtp.mailsTo(`${look.width}@signs.example`, 1)).length, 1);
    }
  });
});
