import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Browser, openMember, openOperator } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { assertProblem, pointersOf } from './support/refusal.ts';
import { bearer, textBody } from './support/requests.ts';

/** Bodies that are cheap to send and expensive to check. One must not block all other requests. */
const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const member = await openMember(world, { email: 'ada@example.com' });
const operator = await openOperator(world);

const size = 255 * 1024;
const repeat = (text: string) => text.repeat(Math.floor(size / text.length) - 2);
const fields = (value: string) => {
  const names = Array.from({ length: Math.floor(size / (value.length + 10)) }, (_, i) => `"f${i}":${value}`);
  return `{${names.join(',')}}`;
};
const bodies: [name: string, text: string][] = [
  ['unknown fields', fields('0')],
  ['nested fields', fields('{"a":[]}')],
  ['lists', `[${repeat('[],')}[]]`],
  ['a list in the place of a text', `{"prompt":[${repeat('0,')}0],"aspect_ratio":"1:1"}`],
  [
    'entries that break a rule',
    `{"input_images_urls":[${repeat('"x",')}"x"],"prompt":"a","aspect_ratio":"1:1"}`,
  ],
  ['models of a key', `{"name":"a","expires_at":null,"models":[${repeat('0,')}0]}`],
  ['links of an invitation', `{"token":[${repeat('0,')}0]}`],
];

// Such a body is read and parsed in 3 ms, and refused in 10 or 20.
const enoughMs = 60;

/** The least processor time of our thread in some tries, so that other work on this machine does not count. */
async function costOf(send: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 8 && best > enoughMs; tries += 1) {
    const before = process.threadCpuUsage();
    await send();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

async function post(path: string, text: string, headers: Record<string, string>): Promise<number> {
  using client = await openRawClient(world.url);
  client.write(rawRequest('POST', path, { headers: { ...headers, connection: 'close' }, body: text }));
  const { status } = await client.head();
  return status;
}

for (const [name, text] of bodies) {
  test(`256 KiB of ${name} do not delay other requests`, async (context) => {
    const cookieOf = ({ cookies }: Browser) => ({
      origin: world.url,
      cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; '),
    });
    for (const [path, headers, status] of [
      ['/api/v1/nb2/url-generations', bearer(world.key), 422],
      ['/api/v1/keys', { ...cookieOf(member), ...member.asPage() }, 422],
      ['/api/v1/nb2/text-generations', { ...cookieOf(member), ...member.asPage() }, 422],
      ['/panel/operator/operators/invite', cookieOf(operator), 422],
      ['/panel/sign-in', { origin: world.url }, 413],
      ['/panel/links/look', { origin: world.url }, 413],
      ['/panel/sign-in/oidc', { origin: world.url }, 413],
    ] as const) {
      assert.equal(await post(path, text, headers), status, path);
      const cost = await costOf(() => post(path, text, headers));
      context.diagnostic(`${path}: ${cost.toFixed(1)} ms`);
      assert.ok(cost < enoughMs, `${path} took ${cost} ms`);
    }
  });
}

test('a body with too many values is refused with that reason; one within the bound gets all of its errors', async () => {
  const send = (body: object) => world.send('POST', '/nb2/text-generations', { body });
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`field_${i}`, i]));
  const refused = await send(many);
  assertProblem(refused, 422, 'invalid_request');
  assert.deepEqual(pointersOf(refused), ['']);
  assert.match(String(refused.body.detail), /more than 500 fields and entries/);
  const wrong = await send({ ...textBody, aspect_ratio: '5:7', resolution: '8K', extra: 1 });
  assert.deepEqual(pointersOf(wrong).sort(), ['/aspect_ratio', '/extra', '/resolution']);
});

test('a body that anybody may send is 413 beyond 8 KiB', async () => {
  const browser = new Browser(world);
  const body = { email: 'ada@example.com', password: 'x'.repeat(9_000) };
  const reply = await browser.try('POST /panel/sign-in', { body });
  assertProblem(reply, 413, 'body_too_large');
  assert.match(String(reply.body.detail), /8,192 bytes/);
});
