import assert from 'node:assert/strict';
import { mkdtemp, mkdtempDisposable, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type App, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { freePort } from '../world/free-port.ts';

let app: App;
let dataDir: string;
let url: string;
const publicUrl = 'https://images.example.com';

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'darkroom-docs-'));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  app = await startApp(
    readConfig({
      PORT: `${port}`,
      DARKROOM_DATA_DIR: dataDir,
      DARKROOM_LOG_LEVEL: 'silent',
      DARKROOM_PUBLIC_URL: publicUrl,
    }),
  );
});
after(async () => {
  await app?.[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const ask = (path: string, headers = {}) => fetch(`${url}${path}`, { headers });
async function text(path: string): Promise<string> {
  const response = await ask(path);
  assert.equal(response.status, 200, path);
  return response.text();
}
const linksOf = (html: string) =>
  [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, target = '']) => target);
const idsOf = (html: string) => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);

async function crawl(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const next = ['/docs'];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (pages.has(path)) continue;
    const html = await text(path);
    pages.set(path, html);
    for (const target of linksOf(html)) {
      const { pathname, origin } = new URL(target, 'http://here');
      if (origin === 'http://here' && /^\/docs(\/|$)/.test(pathname) && !/\.\w+$/.test(pathname))
        next.push(pathname);
    }
  }
  return pages;
}

test('every link on every page leads to an existing page and part, and no page loads anything from elsewhere', async () => {
  const pages = await crawl();
  assert.ok(pages.size > 60, `${pages.size}`);
  const asked = new Set<string>();
  for (const [path, html] of pages) {
    assert.equal(new Set(idsOf(html)).size, idsOf(html).length, `${path} has an id twice`);
    assert.doesNotMatch(
      html,
      /<style|\sstyle=|\son\w+=|<script(?! src="\/docs\/(script|search|run|try)\.js" defer>)/,
    );
    for (const [, source = ''] of html.matchAll(/\ssrc="([^"]+)"/g)) assert.match(source, /^\/docs\//, path);
    for (const target of linksOf(html)) {
      const { origin, pathname, hash } = new URL(target, `http://here${path}`);
      if (origin !== 'http://here') continue;
      const page = pages.get(pathname);
      if (page !== undefined && hash)
        assert.ok(idsOf(page).includes(decodeURI(hash.slice(1))), `${path}: ${target}`);
      if (page !== undefined || asked.has(pathname)) continue;
      asked.add(pathname);
      assert.equal((await ask(pathname)).status, 200, `${path}: ${target}`);
    }
  }
});

test('pages have the reference’s headers, and answer 304 if the browser has them', async () => {
  for (const path of ['/docs', '/docs/guides', '/docs/guides/sdk', '/docs/guides/sdk.md', '/llms-full.txt']) {
    const { headers } = await ask(path);
    assert.match(
      headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'self'; script-src 'self';/,
    );
    const etag = headers.get('etag') ?? '';
    assert.equal((await fetch(`${url}${path}`, { headers: { 'if-none-match': etag } })).status, 304, path);
  }
});

test('a page that does not exist is a problem document, and a page for people; images that no page shows are not served', async () => {
  for (const path of [
    '/docs/nothing',
    '/docs/guides/nothing.md',
    '/docs/decisions/0001',
    '/docs/panel/jobs.png',
    '/docs/guides/..%2f..%2fpackage.json',
    '/docs/panel/..%2fschema.sql',
  ]) {
    const response = await ask(path);
    assert.equal(response.status, 404, path);
    assert.equal(((await response.json()) as { code: string }).code, 'not_found');
  }
  assert.match(await text('/docs/panel/make.png'), /^.PNG/);
  const response = await ask('/docs/nothing', { accept: 'text/html,*/*;q=0.8' });
  assert.equal(response.status, 404);
  assert.match(await response.text(), /<h1>There is no such page<\/h1>/, 'for people it is a page');
});

test('every example of a page has a place for the address in use', async () => {
  const html = await text('/docs/start/api');
  const places = html.match(/<span data-origin>http:\/\/127\.0\.0\.1:3000<\/span>/g)?.length ?? 0;
  assert.ok(places >= 5);
  assert.equal(html.match(/http:\/\/(127\.0\.0\.1|localhost):3000/g)?.length, places);
});

test('text is compressed for clients that accept it, as a separate variant', async () => {
  const sizes = new Map<string, { etag: string; bytes: number }>();
  for (const coding of ['gzip', 'identity', 'gzip;q=0']) {
    const response = await ask('/docs/search.json', { 'accept-encoding': coding });
    assert.equal(response.headers.get('content-encoding'), coding === 'gzip' ? 'gzip' : null, coding);
    assert.match(response.headers.get('vary') ?? '', /Accept-Encoding/);
    assert.ok(Array.isArray(await response.json()), coding);
    const etag = response.headers.get('etag') ?? '';
    sizes.set(coding, { etag, bytes: Number(response.headers.get('content-length')) });
    const again = await ask('/docs/search.json', { 'accept-encoding': coding, 'if-none-match': etag });
    assert.equal(again.status, 304, coding);
  }
  const [gzip, identity] = [sizes.get('gzip'), sizes.get('identity')];
  assert.notEqual(gzip?.etag, identity?.etag);
  assert.ok((gzip?.bytes ?? Infinity) < (identity?.bytes ?? 0) / 3);
});

test('Accept-Encoding is read as specified, and only clients that accept gzip get it', async () => {
  const coded = async (accepted: string) =>
    (await ask('/docs/search.json', { 'accept-encoding': accepted })).headers.get('content-encoding');
  for (const taken of ['br, gzip', 'GZIP', 'deflate , gzip ; q=0.5', 'gzip;q=1.000'])
    assert.equal(await coded(taken), 'gzip', taken);
  for (const refused of ['gzip ;q=0', 'gzip;q=0 , br', 'gzip; Q=0.000', 'x-gzip', 'gzip-x', '*', ''])
    assert.equal(await coded(refused), null, refused);
});

test('Markdown for programs is self-contained: this address in examples, absolute links', async () => {
  for (const path of ['/docs/start/api.md', '/docs/concepts/webhooks.md', '/llms-full.txt']) {
    const markdown = await text(path);
    assert.match(markdown, /^(<!-- https:\S+ -->\n\n)?# /);
    assert.doesNotMatch(markdown, /http:\/\/(127\.0\.0\.1|localhost):3000/, path);
    const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
    for (const [, target = ''] of prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)) {
      assert.match(target, /^https?:\/\//, path);
      if (!target.startsWith(publicUrl)) continue;
      const { pathname } = new URL(target);
      if (pathname !== '/') assert.equal((await ask(pathname)).status, 200, target);
    }
  }
  const llms = await text('/llms.txt');
  assert.ok(llms.includes(`${publicUrl}/llms-full.txt`));
  for (const [, target = ''] of llms.matchAll(/\]\(([^()\s]+\.md)\)/g))
    assert.equal((await ask(new URL(target).pathname)).status, 200, target);
});

test('an installation may leave out the pages for operators', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-docs-'));
  await using small = await startApp(
    readConfig({
      PORT: '0',
      DARKROOM_DATA_DIR: folder.path,
      DARKROOM_LOG_LEVEL: 'silent',
      DARKROOM_OPERATOR_DOCS: 'false',
    }),
  );
  for (const path of ['/docs/operate', '/docs/operate/models', '/docs/operate/models.md'])
    assert.equal((await fetch(`${small.url}${path}`)).status, 404, path);
  for (const path of ['/docs', '/docs/guides/sdk', '/docs/search.json', '/llms.txt', '/llms-full.txt'])
    assert.doesNotMatch(await (await fetch(`${small.url}${path}`)).text(), /\/docs\/operate/, path);
});

test('the search index has every page, every call and every error code', async () => {
  const entries: { url: string; heading: string }[] = JSON.parse(await text('/docs/search.json'));
  const urls = new Set(entries.map(({ url }) => url.split('#')[0]));
  for (const path of (await crawl()).keys())
    if (/^\/docs\/(\w+)\/\w|changelog/.test(path)) assert.ok(urls.has(path), path);
  assert.ok(entries.some(({ heading }) => heading === 'GET /jobs/{job_id}'));
  assert.ok(entries.length > 300);
});
