import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fastify } from 'fastify';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { type App, startApp } from '../../src/app.ts';
import { ownBrand } from '../../src/base/brand/brand.ts';
import { problems } from '../../src/base/http/problems.ts';
import { readConfig } from '../../src/config/config.ts';
import { errorCodes } from '../../src/errors.ts';
import { balanceSchema } from '../../src/web/api/balance-schema.ts';
import { createdSchema, jobSchema } from '../../src/web/api/nouns/jobs/job-schemas.ts';
import { collectCalls } from '../../src/web/api/openapi/register-openapi.ts';
import { registerReference } from '../../src/web/api/reference/register-reference.ts';
import { codeBlocksOf, colours, contrast, headingOf, plain, sectionsOf } from './read-page.ts';
import { withoutVerb } from './support/without-clients.ts';

let app: App;
let dataDir: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'darkroom-reference-'));
  app = await startApp(readConfig({ PORT: '0', DARKROOM_DATA_DIR: dataDir, DARKROOM_LOG_LEVEL: 'silent' }));
});

after(async () => {
  await app?.[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
  components: { schemas: Record<string, object> };
}

test('every operation in the OpenAPI document has a section with its errors and examples', async () => {
  const document: OpenApi = JSON.parse(await text('/api/v1/openapi.json'));
  const sections = sectionsOf(await text('/docs/reference'));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({ method, path, responses })),
  );
  assert.ok(operations.length >= 11);
  for (const { method, path, responses } of operations) {
    const name = `${method.toUpperCase()} ${path}`;
    const section = sections.find((one) => plain(headingOf(one)) === name);
    assert.ok(section, `${name} has no section`);
    const examples = codeBlocksOf(section).join('\n');
    assert.match(examples, /^curl /m, name);
    assert.match(examples, /darkroom\.[\w.]+\(/, name);
    if (!withoutVerb.includes(name.replace(/\/(webhooks|deliveries).*/, '/$1')))
      assert.match(examples, /darkroom\.[\w.]+\([\s\S]*^darkroom /m, name);
    assert.match(section, /<figcaption>Answer 20\d/, `${name} shows no answer`);
    const codes = Object.values(responses).flatMap(
      ({ description }) => description.match(/(?<=`)[a-z_]+(?=`:)/g) ?? [],
    );
    assert.ok(codes.length >= 5, name);
    for (const code of codes)
      assert.ok(section.includes(`href="/docs/errors/${code}"`), `${name} lacks ${code}`);
  }
  for (const name of [
    'Job',
    'JobCreated',
    'Balance',
    'Problem',
    ...Object.keys(document.components.schemas),
  ]) {
    assert.ok(
      sections.some((one) => plain(headingOf(one)) === name),
      `${name} has no section`,
    );
  }
});

test('every create has its own summary, which names the model, and says what an Idempotency-Key is', async () => {
  const { paths }: CreatePaths = JSON.parse(await text('/api/v1/openapi.json'));
  const creates = Object.entries(paths).flatMap(([path, { post }]) =>
    post && path.endsWith('-generations') ? [post] : [],
  );
  assert.equal(new Set(creates.map(({ summary }) => summary)).size, 6);
  for (const { summary, parameters } of creates) {
    assert.match(summary, /\((fast|higher quality|top tier) model\)$/);
    const header = parameters.find(({ name }) => name === 'idempotency-key');
    assert.ok(header);
    assert.match(header.description, /1 to 255 visible ASCII characters/);
    const allowed = new RegExp(header.schema.pattern ?? '');
    assert.ok(allowed.test('!~'.repeat(127)) && !allowed.test('') && !allowed.test('a b'));
    assert.ok(!allowed.test('a'.repeat(256)));
  }
});

interface CreatePaths {
  paths: Record<
    string,
    {
      post?: {
        summary: string;
        parameters: { name: string; description: string; schema: { pattern?: string } }[];
      };
    }
  >;
}

test('request fields show their type, their rules and whether they are required', async () => {
  const section = sectionsOf(await text('/docs/reference')).find(
    (one) => plain(headingOf(one)) === 'POST /nb2/url-generations',
  );
  const words = plain(section ?? '');
  assert.match(words, /prompt string required .*1 to 32,768 characters/);
  assert.match(words, /resolution string .*default 1K .*1K2K4K/);
  assert.match(words, /input_images_urls array of string required .*1 to 14 entries/);
  assert.match(words, /callback_url string or null Called/);
  assert.match(words, /Idempotency-Key string/);
  assert.match(words, /Other fields are refused/);
});

test('every error code has a page with its meaning, its remedy and an example of its problem document', async () => {
  const list = await text('/docs/errors');
  for (const code of errorCodes) {
    const { status, title, meaning, remedy } = problems[code];
    assert.ok(list.includes(`href="/docs/errors/${code}"`), `${code} is not listed`);
    const html = await text(`/docs/errors/${code}`);
    const words = plain(html);
    assert.match(html, new RegExp(`<title>${title} `));
    for (const sentence of [meaning, remedy]) assert.ok(words.includes(sentence.replaceAll('`', '')), code);
    const example = codeBlocksOf(html)[0] ?? '';
    assert.ok(example.startsWith(`HTTP/1.1 ${status} `), code);
    const shown = JSON.parse(example.slice(example.indexOf('{')));
    assert.deepEqual([shown.code, shown.status, shown.title], [code, status, title]);
    assert.ok(shown.type.endsWith(`/docs/errors/${code}`));
  }
});

test('examples of problem documents are the real answers', async () => {
  const authorization = `Bearer ${app.demo?.key}`;
  const requests: Record<string, [path: string, request: RequestInit]> = {
    key_missing: ['/balance', {}],
    key_invalid: ['/balance', { headers: { authorization: 'Bearer dk_nobody' } }],
    not_found: ['/jobs/nope', { headers: { authorization } }],
    method_not_allowed: ['/balance', { method: 'PUT', headers: { authorization } }],
    unsupported_media_type: ['/text-generations', { method: 'POST', headers: { authorization }, body: '{}' }],
  };
  for (const [code, [path, request]] of Object.entries(requests)) {
    const { request_id: _own, ...real } = await problemOf(path, request);
    assert.equal(real.code, code);
    const { request_id: _shown, type, ...shown } = await exampleOf(real.type);
    assert.deepEqual({ ...shown, type: real.type }, real);
    assert.ok(String(type).endsWith(`/${code}`));
  }
});

test('the example of an invalid request is the real answer', async () => {
  const headers = { authorization: `Bearer ${app.demo?.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ prompt: 'a fox', resolution: '8K' });
  const real = await problemOf('/text-generations', { method: 'POST', headers, body });
  const shown = await exampleOf(real.type);
  assert.deepEqual([shown.detail, shown.errors], [real.detail, real.errors]);
});

test('the guide states the real limits', async () => {
  const guide = plain((await text('/docs/reference')).replaceAll('</dt>', ' '));
  for (const limit of [
    'Prompt 1 to 32,768 characters',
    'Body at most 256 KiB of JSON, 20 levels deep, with at most 500 fields and entries',
    'Input images 1 to 14 URLs, at most 40 MB (41,943,040 bytes) together',
    'Input URL at most 8,192 characters',
    'callback_url at most 2,048 characters',
    'Idempotency-Key 1 to 255 visible ASCII characters',
    'Prefer: wait at most 60 seconds',
    'Image link valid for at least 24 hours',
  ])
    assert.ok(guide.includes(limit), limit);
});

async function problemOf(path: string, request: RequestInit): Promise<Record<string, unknown>> {
  return JSON.parse(await (await fetch(`${app.url}/api/v1${path}`, request)).text());
}

async function exampleOf(type: unknown): Promise<Record<string, unknown>> {
  const example = codeBlocksOf(await text(new URL(String(type)).pathname))[0] ?? '';
  return JSON.parse(example.slice(example.indexOf('{')));
}

test('an unknown error code is a problem document, not a page', async () => {
  for (const code of ['nope', 'toString', '__proto__', '%3Cscript%3E']) {
    const response = await fetch(`${app.url}/docs/errors/${code}`);
    assert.equal(response.status, 404);
    assert.equal(JSON.parse(await response.text()).code, 'not_found');
  }
});

test('no page loads or runs anything but the files of this server', async () => {
  const files = ['style.css', 'script.js', 'run.js', 'try.js', 'icon.svg', 'fox.webp'].map(
    (name) => `/docs/${name}`,
  );
  for (const path of [...pages(), ...files]) {
    const response = await get(path);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    const body = await response.text();
    if (path.endsWith('.css')) assert.doesNotMatch(body, /url\(|@import|image-set/);
    else if (path.endsWith('/try.js'))
      assert.doesNotMatch(body, /https?:\/\/|import|innerHTML|eval|Storage|cookie/);
    else if (path.endsWith('/run.js'))
      assert.doesNotMatch(body, /https?:\/\/|import|innerHTML|eval|setItem|document\.cookie/);
    else if (path.endsWith('.js')) assert.doesNotMatch(body, /https?:|fetch|import|innerHTML|eval/);
    else if (path.endsWith('.webp')) assert.match(body, /^RIFF/);
    else if (path.endsWith('.svg')) assert.doesNotMatch(body, /href|<script|<style/);
    else {
      for (const [, , target = ''] of body.matchAll(/\s(href|src|srcset|action|poster|data)="([^"]*)"/g)) {
        assert.match(target, /^(#|\/(?!\/))/, `${path} leads to ${target}`);
      }
      assert.doesNotMatch(
        body,
        /<style|\sstyle=|\son\w+=|<iframe|<form|<script(?! src="\/docs\/(script|search|run|try)\.js" defer><\/script>)/,
      );
    }
  }
});

test('images may come from their links’ hosts, and tried calls go nowhere else', async () => {
  await using server = fastify({ ajv: { customOptions: { strict: false } } });
  await collectCalls(server, { ...described, version: '1', serverUrl: '/api/v1' });
  registerReference(server, {
    description: async () => server,
    brand: { now: () => ownBrand },
    urls: { publicUrl: 'https://a.example', cdnUrl: 'https://cdn.example/x' },
  });
  const { headers } = await server.inject('/docs/reference');
  assert.match(
    String(headers['content-security-policy']),
    / img-src 'self' https:\/\/cdn\.example; connect-src 'self'; /,
  );
});

test('every link inside the reference leads somewhere, and no id occurs twice', async () => {
  const ids = new Map<string, string[]>();
  for (const path of pages())
    ids.set(
      path,
      [...(await text(path)).matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id),
    );
  for (const [path, list] of ids) {
    assert.equal(new Set(list).size, list.length, `${path} has an id twice`);
    for (const [, target = ''] of (await text(path)).matchAll(/href="([^"]+)"/g)) {
      const { pathname, hash } = new URL(target, `${app.url}${path}`);
      if (hash) assert.ok(ids.get(pathname)?.includes(hash.slice(1)), `${path} leads to ${target}`);
      else if (!ids.has(pathname)) assert.equal((await get(pathname)).status, 200, target);
    }
  }
});

test('the sample answers are valid against the schemas they illustrate', async () => {
  const sections = sectionsOf(await text('/docs/reference'));
  const schemas: Record<string, TSchema> = {
    Job: jobSchema,
    JobCreated: createdSchema,
    Balance: balanceSchema,
  };
  for (const [name, schema] of Object.entries(schemas)) {
    const section = sections.find((one) => plain(headingOf(one)) === name) ?? '';
    const sample: unknown = JSON.parse(codeBlocksOf(section)[0] ?? '');
    assert.deepEqual([...Value.Errors(schema, sample)], [], name);
  }
});

test('the answer samples of lists have the fields of real answers', async () => {
  const sections = sectionsOf(await text('/docs/reference'));
  for (const path of ['/models', '/jobs']) {
    const section = sections.find((one) => plain(headingOf(one)) === `GET ${path}`) ?? '';
    const sample = JSON.parse(codeBlocksOf(section).at(-1) ?? '');
    const real = JSON.parse(await text(`/api/v1${path}`));
    assert.deepEqual(Object.keys(sample).sort(), Object.keys(real).sort());
    if (real.data[0]) assert.deepEqual(Object.keys(sample.data[0]).sort(), Object.keys(real.data[0]).sort());
  }
});

test('llms.txt leads to every call, and to the packages of this server', async () => {
  const llms = await text('/llms.txt');
  const document: OpenApi = JSON.parse(await text('/api/v1/openapi.json'));
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods))
      assert.ok(llms.includes(`[${method.toUpperCase()} ${path}]`), path);
  const links = [...llms.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => new URL(link));
  assert.ok(links.length > 30);
  for (const { origin, href } of links) assert.equal(origin, app.url, href);
  const ids = new Set([...(await text('/docs/reference')).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  for (const { pathname, hash } of links) {
    if (hash) assert.ok(pathname === '/docs/reference' && ids.has(hash.slice(1)), hash);
    else if (!pathname.endsWith('.tgz')) await get(pathname);
  }
});

test('descriptions are shown as text, whatever they contain', async () => {
  const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\`<b>\``;
  await using server = fastify({ ajv: { customOptions: { strict: false } } });
  await collectCalls(server, { ...described, version: hostile, serverUrl: `/${hostile}` });
  const field = {
    type: 'string',
    description: hostile,
    enum: [hostile],
    default: hostile,
    pattern: 'a"<b>',
    examples: [hostile],
  };
  server.post(
    '/evil/:id',
    {
      schema: {
        summary: hostile,
        description: hostile,
        tags: [hostile],
        params: { type: 'object', properties: { id: field } },
        body: { type: 'object', required: [hostile], properties: { [hostile]: field } },
        response: { 200: { description: hostile, type: 'object', properties: { [hostile]: field } } },
      } as object,
    },
    async () => ({}),
  );
  registerReference(server, {
    description: async () => server,
    brand: { now: () => ownBrand },
    urls: { publicUrl: 'https://a.example', cdnUrl: 'https://a.example' },
  });
  for (const path of ['/docs/reference', '/docs/errors', '/docs/errors/internal']) {
    const { body, statusCode } = await server.inject(path);
    assert.equal(statusCode, 200);
    assert.ok(body.includes('&lt;script&gt;alert(1)'), path);
    assert.doesNotMatch(body, /<script>|<img src=x|<b>|\sonerror=[^&]*[^;]>/);
    const tags = body.replace(/<[a-z!/][^<>]*>/g, '');
    assert.doesNotMatch(tags, /[<>]/, 'a sign of markup stands in the text');
  }
});

test('a browser that has a page gets 304, and HEAD answers like GET', async () => {
  for (const path of ['/docs/reference', '/docs/style.css']) {
    const first = await get(path);
    const etag = first.headers.get('etag') ?? '';
    await first.text();
    const again = await fetch(`${app.url}${path}`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal(await again.text(), '');
    const head = await fetch(`${app.url}${path}`, { method: 'HEAD' });
    assert.equal(head.headers.get('etag'), etag);
  }
});

test('the reference does not describe itself', async () => {
  const document: OpenApi = JSON.parse(await text('/api/v1/openapi.json'));
  assert.deepEqual(
    Object.keys(document.paths).filter((path) => path.includes('docs')),
    [],
  );
});

test('text has the contrast that WCAG AA requires, light and dark', async () => {
  const css = await text('/docs/style.css');
  const [light, dark] = [...css.matchAll(/:root \{([^}]+)\}/g)].map(([, block = '']) => colours(block));
  for (const scheme of [light, dark]) {
    assert.ok(scheme);
    for (const background of ['paper', 'panel']) {
      for (const ink of ['ink', 'soft', 'accent', 'get', 'string']) {
        const ratio = contrast(scheme[ink] ?? '', scheme[background] ?? '');
        assert.ok(ratio >= 4.5, `${ink} on ${background}: ${ratio.toFixed(2)}`);
      }
    }
  }
});

function pages(): string[] {
  return ['/docs/reference', '/docs/errors', ...errorCodes.map((code) => `/docs/errors/${code}`)];
}

async function get(path: string): Promise<Response> {
  const response = await fetch(`${app.url}${path}`, {
    headers: { authorization: `Bearer ${app.demo?.key}` },
  });
  assert.equal(response.status, 200, path);
  return response;
}

async function text(path: string): Promise<string> {
  return (await get(path)).text();
}

const described = { title: 'Darkroom', description: 'An API.', keyNote: 'A key.', schemas: [], tags: [] };
