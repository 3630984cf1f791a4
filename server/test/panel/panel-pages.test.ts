import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { createServer } from '../../src/base/http/server.ts';
import { createMeter } from '../../src/base/metrics/meter.ts';
import { createPages } from '../../src/web/panel/panel-pages.ts';
import { silentLog } from '../world/silent-log.ts';

const html = { accept: 'text/html,application/xhtml+xml' };

suite('pages of the panel', () => {
  test('every page’s path serves the same page, never cached, never framed, with scripts only from files', async () => {
    await using site = await openSite({ 'index.html': '<!doctype html><title>Darkroom</title>' });
    for (const path of ['/', '/jobs', '/accounts/1/jobs?status=done', '/open', '/apiary']) {
      const reply = await fetch(site.url + path, { headers: html });
      assert.equal(reply.status, 200, path);
      assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.equal(reply.headers.get('x-frame-options'), 'DENY');
      assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
      const policy = new Map(
        (reply.headers.get('content-security-policy') ?? '')
          .split('; ')
          .map((rule) => [rule.split(' ', 1)[0], rule]),
      );
      assert.equal(policy.get('script-src'), "script-src 'self'");
      assert.equal(policy.get('frame-ancestors'), "frame-ancestors 'none'");
      assert.equal(policy.get('base-uri'), "base-uri 'none'");
      assert.equal(policy.get('default-src'), "default-src 'none'");
      assert.match(policy.get('img-src') ?? '', /https:\/\/images\.example$/);
    }
  });

  test('pages that need the session make browsers request it at once, and the others do not', async () => {
    await using site = await openSite({ 'index.html': 'x', 'assets/app-1a2b.js': 'plain' });
    const ahead = '</panel/session>; rel=preload; as=fetch; crossorigin';
    for (const [path, link] of [
      ...['/', '/accounts/1/jobs?status=done', '/operator/system', '/profile', '/authorize'].map(
        (page) => [page, ahead] as const,
      ),
      // A sign-in on such a page would get the old answer.
      ...['/sign-in', '/open', '/profiles', '/assets/app-1a2b.js'].map((page) => [page, null] as const),
    ]) {
      const reply = await fetch(site.url + path, { headers: html });
      assert.equal(reply.headers.get('link'), link, path);
    }
  });

  test('styles need the answer’s own nonce, which differs each time', async () => {
    await using site = await openSite({
      'index.html': '<meta nonce="NONCE-OF-THIS-ANSWER"><script nonce="NONCE-OF-THIS-ANSWER">',
    });
    const nonces = new Set<string>();
    for (let index = 0; index < 3; index++) {
      const reply = await fetch(site.url, { headers: html });
      const policy = reply.headers.get('content-security-policy') ?? '';
      assert.ok(!policy.includes('unsafe-inline'), policy);
      const nonce = /style-src 'self' 'nonce-([\w+/]{22}==)'/.exec(policy)?.[1] ?? '';
      assert.equal(await reply.text(), `<meta nonce="${nonce}"><script nonce="${nonce}">`);
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 3);
  });

  test('behind TLS every answer tells browsers to stay on https', async () => {
    for (const [publicUrl, expected] of [
      ['https://darkroom.example', 'max-age=63072000; includeSubDomains'],
      ['http://127.0.0.1', null],
    ] as const) {
      await using site = await openSite({ 'index.html': 'x' }, publicUrl);
      for (const path of ['/', '/assets/gone.js', '/api/v1/jobs', '/%'])
        assert.equal((await fetch(site.url + path)).headers.get('strict-transport-security'), expected, path);
    }
  });

  test('assets are cached for ever, and sent compressed if the build compressed them', async () => {
    await using site = await openSite({
      'index.html': 'x',
      'assets/app-1a2b.js': 'plain',
      'assets/app-1a2b.js.br': 'squeezed',
      'icon.svg': '<svg/>',
    });
    const asset = await fetch(`${site.url}/assets/app-1a2b.js`, {
      headers: { 'accept-encoding': 'identity' },
    });
    assert.equal(await asset.text(), 'plain');
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.match(asset.headers.get('content-type') ?? '', /javascript/);
    const compressed = await fetch(`${site.url}/assets/app-1a2b.js`, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'br' },
    });
    assert.equal(compressed.headers.get('content-encoding'), 'br');
    assert.equal((await fetch(`${site.url}/icon.svg`)).headers.get('cache-control'), 'no-cache');
  });

  test('an address that is neither a page nor a file is a problem document', async () => {
    await using site = await openSite({ 'index.html': 'x' });
    for (const path of [
      '/api/v1/nothing',
      '/panel/nothing',
      '/docs/nothing',
      '/images/x',
      '/assets/gone.js',
      '/..%2f..%2fetc/passwd.txt',
      '/favicon.ico',
    ]) {
      const reply = await fetch(site.url + path, { headers: html });
      assert.equal(reply.status, 404, path);
      assert.match(reply.headers.get('content-type') ?? '', /problem\+json/);
    }
    assert.equal((await fetch(`${site.url}/jobs`, { headers: { accept: 'application/json' } })).status, 404);
    assert.equal((await fetch(`${site.url}/jobs`, { method: 'POST' })).status, 404);
  });

  test('a panel that is not built says how to build it', async () => {
    await using site = await openSite({});
    const reply = await fetch(site.url, { headers: html });
    assert.equal(reply.status, 503);
    assert.match(await reply.text(), /npm run build/);
  });
});

async function openSite(
  files: Record<string, string>,
  publicUrl = 'http://localhost',
): Promise<AsyncDisposable & { url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-panel-'));
  await mkdir(join(folder, 'assets'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const pages = createPages({ imageOrigin: () => 'https://images.example', folder });
  const server = createServer({
    log: silentLog,
    meter: createMeter(),
    publicUrl: () => publicUrl,
    sendPage: pages.send,
  });
  await pages.register(server);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.server.closeAllConnections();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
