import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import OpenAI from 'openai';
import { openInstallation } from '../processes/support/installation.ts';
import type { ServerProcess } from '../processes/support/server-process.ts';

// DOORS_FULL=1 uses as many answers as the published figure.
const answers = process.env.DOORS_FULL ? 64 : 16;
const limitBytes = 400_000_000;

const place = await openInstallation(undefined);
after(() => place[Symbol.asyncDispose]());
const { accountId, key } = await place.account(1_000_000n);

test('a killed server makes the image once, and the same request finds it', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const ask = (url: string) =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }).images.generate(
      // The delay lasts until the server is killed; the next server does not obey the directive.
      { model: 'nb', prompt: '[[delay:2m]] a fox' },
      { headers },
    );
  const first = await place.start('all');
  const asked = assert.rejects(ask(first.url), OpenAI.APIConnectionError);
  while ((await countOf('jobs')) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  first.signal('SIGKILL');
  await asked;
  const config = `${place.env.DARKROOM_DATA_DIR}/darkroom.json`;
  writeFileSync(config, JSON.stringify({ routes: { nb: [{ provider: 'sketch', directives: false }] } }));
  await using second = await place.start('all', { DARKROOM_CONFIG: config });
  assert.equal((await ask(second.url)).data?.length, 1);
  assert.equal((await ask(second.url)).data?.length, 1);
  assert.equal(await countOf('jobs'), 1);
  const { rows } = await entries();
  assert.deepEqual(rows, ['credit', 'reserve', 'capture']);
});

/** One request for a 4K image, answered as base64, in each API. All its repetitions use the same key. */
const requests = {
  openai: {
    path: '/v1/images/generations',
    body: { model: 'nb2', prompt: 'a fox', size: '5504x3072' },
  },
  gemini: {
    path: '/v1beta/models/nb2:generateContent',
    body: {
      contents: [{ parts: [{ text: 'a fox' }] }],
      generationConfig: { imageConfig: { aspectRatio: '16:9', imageSize: '4K' } },
    },
  },
};

for (const [door, { path, body }] of Object.entries(requests)) {
  test(`${answers} 4K answers at once by ${door} keep the process below ${limitBytes / 1e6} MB`, async (t) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': door,
    };
    const ask = ({ url }: ServerProcess) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    // Drawing leaves up to 150 MB for a while, so another process makes the image.
    const bytes = await withServer(async (maker) => lengthOf(await ask(maker)));
    assert.ok(bytes > 1_000_000);
    await withServer(async (server) => {
      t.diagnostic(`${((await server.residentBytes()) / 1e6).toFixed(0)} MB before`);
      // All answers have begun before the first is read.
      const begun = await Promise.all(Array.from({ length: answers }, () => ask(server)));
      let most = await server.residentBytes();
      t.diagnostic(`${(most / 1e6).toFixed(0)} MB when all wait`);
      const watch = setInterval(() => server.residentBytes().then((now) => (most = Math.max(most, now))), 50);
      const lengths = await Promise.all(begun.map(lengthOf));
      clearInterval(watch);
      assert.deepEqual([...new Set(lengths)], [bytes]);
      t.diagnostic(`${(bytes / 1e6).toFixed(1)} MB each, at most ${(most / 1e6).toFixed(0)} MB resident`);
      assert.ok(most < limitBytes, `${most} bytes`);
    });
  });
}

async function withServer<Result>(work: (server: ServerProcess) => Promise<Result>): Promise<Result> {
  await using server = await place.start('all');
  return await work(server);
}

async function lengthOf({ body }: Response): Promise<number> {
  let length = 0;
  for await (const chunk of body ?? []) length += (chunk as Uint8Array).length;
  return length;
}

async function countOf(table: 'jobs'): Promise<number> {
  return (
    await place.database.read.selectFrom(table).select('id').where('account_id', '=', accountId).execute()
  ).length;
}

async function entries() {
  const found = await place.database.read
    .selectFrom('entries')
    .select('kind')
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  return { rows: found.map(({ kind }) => kind) };
}
