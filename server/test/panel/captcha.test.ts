import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CaptchaSettings } from '../../src/accounts/captcha/captcha-settings.ts';
import { startApp } from '../../src/app.ts';
import type { Log } from '../../src/base/std/log.ts';
import { readConfig } from '../../src/config/config.ts';
import { checkCaptcha } from '../../src/start/doctor/check-captcha.ts';
import { type Siteverify, secret, startSiteverify } from '../emulators/siteverify.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World, type WorldOptions } from '../world/world.ts';
import { Browser, type PanelReply } from './browser.ts';
import { solve } from './support/captcha.ts';
import { from, openSignUpWorld, type SignUpWorld } from './support/sign-up.ts';

const vendors = [
  { kind: 'turnstile', usedBefore: 'timeout-or-duplicate' },
  { kind: 'hcaptcha', usedBefore: 'invalid-or-already-seen-response' },
] as const;
/** Longer than any test waits. */
const patientMs = 60_000;

let network = 0;
/** Sends from another network each time, to stay below the limits. */
function ask(
  world: World,
  captcha?: string,
  call: 'sign-up' | 'sign-in/forgotten' = 'sign-up',
  url = world.url,
) {
  network += 1;
  const body = { email: `asks-${network}@signs.example`, ...(captcha !== undefined && { captcha }) };
  return new Browser(world, url).try(`POST /panel/${call}`, { body, ...from(network) });
}

const said = ({ status, body }: PanelReply) => [status, body.code ?? null];
const refused = [403, 'captcha_refused'];
const unavailable = [503, 'captcha_unavailable'];
const sent = [204, null];

async function openGuarded(captcha: CaptchaSettings, options: WorldOptions = {}): Promise<SignUpWorld> {
  return openSignUpWorld({}, { ...options, config: { captcha } });
}

function settingsOf(
  kind: 'turnstile' | 'hcaptcha',
  { url }: Siteverify,
): CaptchaSettings & { kind: typeof kind } {
  return { kind, siteKey: 'site-key', secret, verifyUrl: url, timeoutMs: patientMs };
}

async function emailsIn(world: World): Promise<number> {
  const { read } = world.app.database;
  const [row] = await read
    .selectFrom('outgoing_emails')
    .select((eb) => eb.fn.countAll().as('all'))
    .execute();
  return Number(row?.all);
}

for (const { kind, usedBefore } of vendors)
  suite(`a form that ${kind} guards`, () => {
    test('is accepted once per passed check, and otherwise neither sends nor stores anything', async () => {
      await using vendor = await startSiteverify(usedBefore);
      await using open = await openGuarded(settingsOf(kind, vendor));
      const { world, smtp } = open;
      const { captcha } = await new Browser(world).call('GET /panel/sign-in');
      assert.deepEqual(captcha, { kind, site_key: 'site-key' });

      assert.deepEqual(said(await ask(world)), refused, 'missing');
      assert.deepEqual(said(await ask(world, '')), refused, 'empty');
      assert.equal(vendor.asked.length, 0, 'what is no token costs no request');
      assert.deepEqual(said(await ask(world, 'guessed')), refused, 'wrong');
      assert.deepEqual(
        said(await ask(world, vendor.earn({ host: 'elsewhere.example' }))),
        refused,
        'another host',
      );
      const late = vendor.earn();
      vendor.expire(late);
      assert.deepEqual(said(await ask(world, late)), refused, 'expired');
      assert.deepEqual([await emailsIn(world), smtp.taken.length], [0, 0]);

      const token = vendor.earn();
      assert.deepEqual(said(await ask(world, token)), sent);
      assert.deepEqual(said(await ask(world, token)), refused, 'replayed');
      const both = vendor.earn();
      const raced = await Promise.all([ask(world, both), ask(world, both)]);
      assert.deepEqual(raced.map(({ status }) => status).sort(), [204, 403]);
      const nowhere = said(await ask(world, vendor.earn({ host: null })));
      assert.deepEqual(nowhere, kind === 'hcaptcha' ? sent : unavailable, 'it does not say where');
      assert.deepEqual(said(await ask(world, undefined, 'sign-in/forgotten')), refused);
      assert.deepEqual(said(await ask(world, vendor.earn(), 'sign-in/forgotten')), sent);
      const { response, ...form } = vendor.asked.at(-1) ?? {};
      assert.deepEqual(form, { secret, ...(kind === 'hcaptcha' && { sitekey: 'site-key' }) });
      assert.match(response ?? '', /^earned-/);
      assert.equal((await new Browser(world).try('POST /panel/sign-in/captcha')).status, 404);
    });

    test('is refused with a sentence while the vendor is down, in whatever way', async () => {
      const causes: string[] = [];
      const log: Log = {
        ...silentLog,
        error: (event, fields) =>
          void (event === 'request.failed' && causes.push(String(Object(fields).cause))),
      };
      const vendor = await startSiteverify(usedBefore);
      const settings = settingsOf(kind, vendor);
      await using open = await openGuarded(settings, { replacements: { log } });
      const { world } = open;
      const cases: [why: RegExp, instead: Siteverify['instead']][] = [
        [/TimeoutError/, 'silence'],
        [/not valid JSON/, { status: 502, text: '<html>Bad gateway' }],
        [/no `success`/, { status: 200, text: '{"success":"true"}' }],
        [/no `success`/, { status: 200, text: 'null' }],
        [
          /more than 16384 bytes/,
          { status: 200, text: `{"success":true,"hostname":"${'x'.repeat(1_000_000)}"}` },
        ],
        [/internal-error/, { status: 200, text: '{"success":false,"error-codes":["internal-error"]}' }],
        [
          /invalid-input-secret/,
          { status: 400, text: '{"success":false,"error-codes":["invalid-input-secret"]}' },
        ],
      ];
      for (const [why, instead] of cases) {
        vendor.instead = instead;
        settings.timeoutMs = instead === 'silence' ? 100 : patientMs;
        const reply = await ask(world, vendor.earn());
        assert.deepEqual(said(reply), unavailable, String(why));
        assert.match(
          String(reply.body.detail),
          /does not answer\. Nothing was sent\. Try again in a few minutes\.$/,
        );
        assert.match(causes.at(-1) ?? '', why);
        assert.doesNotMatch(causes.at(-1) ?? '', new RegExp(secret));
      }
      vendor.instead = 'silence';
      settings.timeoutMs = patientMs;
      const before = vendor.asked.length;
      const tenth = Promise.withResolvers<void>();
      let answered = 0;
      const flood = Array.from({ length: 60 }, async () => {
        const reply = await ask(world, vendor.earn());
        answered += 1;
        if (answered === 10) tenth.resolve();
        return reply.status;
      });
      await tenth.promise;
      assert.ok(vendor.asked.length - before <= 50, 'no more than fifty at once');
      await vendor[Symbol.asyncDispose]();
      assert.deepEqual(new Set(await Promise.all(flood)), new Set([503]));
      assert.deepEqual(said(await ask(world, 'token')), unavailable, 'nobody listens');
      assert.equal(await emailsIn(world), 0);
    });
  });

suite('a form that Altcha guards', () => {
  test('is accepted once per proof of work, by whichever process, until the proof is too old', async () => {
    await using open = await openGuarded({ kind: 'altcha' });
    const { world } = open;
    const http = { ...world.config.http, port: 0, publicUrl: null };
    await using second = await startApp({ ...world.config, http }, { clock: world.clock, log: silentLog });
    const other = second.url ?? '';
    const wanted = () => new Browser(world).call('POST /panel/sign-in/captcha');
    assert.deepEqual((await new Browser(world).call('GET /panel/sign-in')).captcha, {
      kind: 'altcha',
      site_key: null,
    });
    assert.deepEqual(said(await ask(world)), refused, 'missing');
    for (const junk of ['', 'junk', '{}', Buffer.from('{"challenge":7}').toString('base64'), 'bnVsbA=='])
      assert.deepEqual(said(await ask(world, junk)), refused, junk);

    const token = await solve(await wanted());
    assert.deepEqual(said(await ask(world, token, 'sign-up', other)), sent);
    assert.deepEqual(said(await ask(world, token)), refused, 'replayed at another process');
    const both = await solve(await wanted());
    const raced = await Promise.all([ask(world, both), ask(world, both, 'sign-up', other), ask(world, both)]);
    assert.deepEqual(raced.map(({ status }) => status).sort(), [204, 403, 403]);

    const change = async (
      change: (made: {
        challenge: Record<string, Record<string, unknown>>;
        solution: Record<string, unknown>;
      }) => void,
    ) => {
      const made = JSON.parse(Buffer.from(await solve(await wanted()), 'base64').toString());
      change(made);
      return said(await ask(world, Buffer.from(JSON.stringify(made)).toString('base64')));
    };
    assert.deepEqual(await change(() => {}), sent);
    for (const [what, by] of [
      [
        'a counter nearby',
        ({ solution }) => Object.assign(solution, { counter: Number(solution.counter) - 1 }),
      ],
      ['no counter', ({ solution }) => Object.assign(solution, { counter: '1e3' })],
      ['an easier prefix', ({ challenge }) => Object.assign(challenge.parameters ?? {}, { keyPrefix: '' })],
      [
        'a later end',
        ({ challenge }) => Object.assign(challenge.parameters ?? {}, { expiresAt: 4_000_000_000 }),
      ],
      ['another salt', ({ challenge }) => Object.assign(challenge.parameters ?? {}, { salt: '00' })],
      ['no signature', ({ challenge }) => Object.assign(challenge, { signature: '' })],
      [
        'values without a text',
        ({ challenge }) => Object.assign(challenge.parameters ?? {}, { nonce: { toString: 1, valueOf: 1 } }),
      ],
    ] satisfies [string, Parameters<typeof change>[0]][])
      assert.deepEqual(await change(by), refused, what);

    const late = await solve(await wanted());
    await world.elapse(11 * 60_000);
    assert.deepEqual(said(await ask(world, late)), refused, 'expired');
    await world.elapse(30 * 60_000);
    assert.deepEqual(said(await ask(world, token)), refused, 'and what was used stays used');
    assert.deepEqual(said(await ask(world, await solve(await wanted()), 'sign-in/forgotten')), sent);
  });

  test('accepts work that was given out under the previous secret', async () => {
    const [older, newer] = ['o'.repeat(32), 'n'.repeat(32)];
    await using open = await openGuarded({ kind: 'altcha' }, { env: { DARKROOM_SECRET: older } });
    const { world } = open;
    const token = await solve(await new Browser(world).call('POST /panel/sign-in/captcha'));
    world.config.secrets = [newer, older];
    await world.restart();
    assert.deepEqual(said(await ask(world, token)), sent);
  });
});

test('a network is limited before the vendor is asked', async () => {
  await using vendor = await startSiteverify('timeout-or-duplicate');
  await using open = await openGuarded(settingsOf('turnstile', vendor));
  await using _held = await open.world.hold();
  const statuses = [];
  for (let nth = 0; nth < 12; nth += 1) {
    const body = { email: 'x@signs.example', captcha: 'guessed' };
    statuses.push((await new Browser(open.world).try('POST /panel/sign-up', { body, ...from(1) })).status);
  }
  assert.deepEqual(statuses, [...Array<number>(10).fill(403), 429, 429]);
  assert.equal(vendor.asked.length, 10);
});

test('without a captcha, forms are accepted, even with an unrequested token', async () => {
  await using open = await openSignUpWorld();
  const { world } = open;
  assert.equal((await new Browser(world).call('GET /panel/sign-in')).captcha, null);
  assert.deepEqual(said(await ask(world)), sent);
  assert.deepEqual(said(await ask(world, 'whatever')), sent);
  assert.equal((await new Browser(world).try('POST /panel/sign-in/captcha')).status, 404);
});

test('only the pages of the two forms may load the vendor’s content', async () => {
  const html = { accept: 'text/html' };
  const policyOf = async (world: World, path: string) => {
    const { headers } = await fetch(world.url + path, { headers: html });
    return Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
        const [name = '', ...sources] = rule.split(' ');
        return [name, sources.filter((source) => !source.startsWith("'nonce")).join(' ')];
      }),
    );
  };
  const wanted = {
    turnstile: {
      script: ' https://challenges.cloudflare.com',
      frame: 'https://challenges.cloudflare.com',
      rest: '',
    },
    hcaptcha: {
      script: ' https://hcaptcha.com https://*.hcaptcha.com',
      frame: 'https://hcaptcha.com https://*.hcaptcha.com',
      rest: ' https://hcaptcha.com https://*.hcaptcha.com',
    },
    altcha: { script: '', frame: undefined, rest: '' },
  };
  const vendor = { siteKey: 'k', secret: 's', verifyUrl: 'http://127.0.0.1:1', timeoutMs: 1 };
  for (const kind of ['turnstile', 'hcaptcha', 'altcha'] as const) {
    const captcha: CaptchaSettings = kind === 'altcha' ? { kind } : { kind, ...vendor };
    await using world = await openWorld({ worker: false, config: { captcha } });
    const { script, frame, rest } = wanted[kind];
    const usual = await policyOf(world, '/sign-in');
    for (const path of ['/sign-up', '/forgotten-password'])
      assert.deepEqual(await policyOf(world, path), {
        ...usual,
        'script-src': `'self'${script}`,
        'style-src': `'self'${rest}`,
        'connect-src': `${usual['connect-src']}${rest}`,
        ...(frame && { 'frame-src': frame }),
      });
    for (const path of ['/', '/sign-in', '/open', '/profile', '/sign-up/x', '/accounts/1/sign-up'])
      assert.deepEqual(await policyOf(world, path), { ...usual, 'script-src': "'self'" }, path);
  }
});

test('invalid settings are refused with what to write', () => {
  assert.throws(
    () => readConfig({ DARKROOM_CAPTCHA: 'recaptcha' }),
    /must be one of off, turnstile, hcaptcha, altcha/,
  );
  for (const one of [{}, { DARKROOM_CAPTCHA_SECRET: 'x' }, { DARKROOM_CAPTCHA_SITE_KEY: 'x' }])
    assert.throws(
      () => readConfig({ DARKROOM_CAPTCHA: 'hcaptcha', ...one }),
      /also set DARKROOM_CAPTCHA_SITE_KEY and DARKROOM_CAPTCHA_SECRET, which you get from hCaptcha/,
    );
  assert.throws(() => readConfig({ DARKROOM_CAPTCHA: 'altcha', DARKROOM_CAPTCHA_SECRET: 'x' }), /leave out/);
  const http = { DARKROOM_CAPTCHA: 'altcha', DARKROOM_PUBLIC_URL: 'http://images.example' };
  assert.throws(() => readConfig(http), /over https alone/);
  const keys = { DARKROOM_CAPTCHA_SITE_KEY: 'site', DARKROOM_CAPTCHA_SECRET: 'whisper' };
  const { captcha, settings } = readConfig({ DARKROOM_CAPTCHA: 'turnstile', ...keys });
  assert.equal(
    captcha?.kind === 'turnstile' && captcha.verifyUrl,
    'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  );
  assert.equal(settings.find(({ name }) => name === 'DARKROOM_CAPTCHA_SECRET')?.value, 'set');
});

test('the doctor asks the vendor whether it accepts our keys', async () => {
  await using vendor = await startSiteverify('timeout-or-duplicate');
  const settings = settingsOf('turnstile', vendor);
  const found = async (more: object = {}) => {
    const { name, status, found, next } = await checkCaptcha({ ...settings, ...more });
    return `${name} ${status}: ${found}${next ? ` (${next})` : ''}`;
  };
  assert.equal(await found(), 'captcha ok: Cloudflare Turnstile answers, and takes the secret');
  assert.match(
    await found({ secret: 'old' }),
    /^captcha fail: .*invalid-input-secret \(correct DARKROOM_CAPTCHA_SECRET/,
  );
  vendor.instead = { status: 502, text: 'no' };
  assert.match(await found(), /^captcha fail: .* \(check that this machine may reach/);
  assert.equal((await checkCaptcha({ kind: 'altcha' })).status, 'ok');
});
