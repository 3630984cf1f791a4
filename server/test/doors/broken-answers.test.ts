import assert from 'node:assert/strict';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DatabaseUnavailable } from '../../src/base/db/database.ts';
import { openDiskStore } from '../../src/images/disk/disk-store.ts';
import { type ImageStore, StoreError } from '../../src/images/image-store.ts';
import { bearer } from '../http/support/requests.ts';
import { openWorld, type World } from '../world/world.ts';

for (const { call, body, prefer } of [
  { call: '/v1/images/generations', body: { model: 'nb2', prompt: 'a fox' }, prefer: 'respond-async' },
  { call: '/v1beta/interactions', body: { model: 'nb2', input: 'a fox', background: true }, prefer: 'none' },
])
  test(`a repetition of ${call} finds its job if the database failed once the job was accepted`, async () => {
    await using world = await openWorld();
    const ask = async (retries: number) => {
      const response = await fetch(world.url + call, {
        method: 'POST',
        headers: {
          ...bearer(world.key),
          ...{ 'content-type': 'application/json', prefer, 'x-stainless-retry-count': String(retries) },
        },
        body: JSON.stringify(body),
      });
      await response.text();
      return { status: response.status, id: response.headers.get('darkroom-job-id') };
    };
    const repair = failReadsOnceAdmitted(world);
    const first = await ask(0);
    repair();
    const second = await ask(1);
    assert.equal(first.status, 503);
    assert.equal(second.id, first.id);
  });

for (const { call, body, done } of [
  {
    call: '/v1beta/models/nb2:streamGenerateContent?alt=sse',
    body: { contents: [{ parts: [{ text: 'a fox' }] }] },
    done: /"finishReason":"STOP"/,
  },
  {
    call: '/v1/images/generations',
    body: { model: 'nb2', prompt: 'a fox', stream: true },
    done: /^event: image_generation\.completed\ndata: \{[^\n]*\}\n\n$/m,
  },
  {
    call: '/v1beta/interactions',
    body: { model: 'nb2', input: 'a fox', stream: true },
    done: /^event: interaction\.completed$/m,
  },
])
  test(`a stream of ${call} that breaks within its image ends there, and its repetition finds its job`, async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-test-'));
    let breaks = true;
    const images = await openBrokenStore(folder.path, () => breaks);
    await using world = await openWorld({ config: { streamKeepAliveMs: 20 }, replacements: { images } });
    const streamed = Promise.withResolvers<void>();
    world.provider.handler = async (request) => {
      await streamed.promise;
      return world.provider.answer(request);
    };
    const ask = async (retries: number) => {
      const response = await fetch(world.url + call, {
        method: 'POST',
        headers: {
          ...bearer(world.key),
          ...{ 'content-type': 'application/json', 'x-stainless-retry-count': String(retries) },
        },
        body: JSON.stringify(body),
      });
      streamed.resolve();
      const text = await response.text().catch(() => 'broken');
      return { id: response.headers.get('darkroom-job-id'), text };
    };
    const first = await ask(0);
    assert.equal(first.text, 'broken');
    breaks = false;
    const second = await ask(1);
    assert.match(second.text, done);
    assert.equal(second.id, first.id);
  });

test('an assistant gets the link to its image if the store breaks off within the preview', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-test-'));
  const images = await openBrokenStore(folder.path, () => true);
  await using world = await openWorld({ replacements: { images } });
  const client = new Client({ name: 'tests', version: '1' });
  const requestInit = { headers: bearer(world.key) };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit }));
  const call = { name: 'generate_image', arguments: { prompt: 'a fox', model: 'nb2' } };
  const { content } = await client.callTool(call, { timeout: 10_000 });
  await client.close();
  const kinds = (content as { type: string }[]).map(({ type }) => type); // as MCP describes the result of a tool
  assert.deepEqual(kinds, ['text', 'resource_link']);
});

/** A store whose images break off in the middle while `breaks` returns true. */
async function openBrokenStore(folder: string, breaks: () => boolean): Promise<ImageStore> {
  const disk = await openDiskStore(folder);
  return {
    ...disk,
    async get(key) {
      const found = await disk.get(key);
      return found && breaks() ? { ...found, body: Readable.from(halfOf(found.body)) } : found;
    },
  };
}

async function* halfOf(body: Readable): AsyncGenerator<Buffer> {
  const [first] = await body.toArray();
  yield first.subarray(0, first.length / 2);
  throw new StoreError('the store went away');
}

/** Lets all reads fail from the next admission on. @returns what repairs them */
function failReadsOnceAdmitted({ app: { database } }: World): () => void {
  const { read, transaction } = database;
  let isDown = false;
  Object.defineProperty(database, 'read', {
    get() {
      if (isDown) throw new DatabaseUnavailable('The database is down.');
      return read;
    },
  });
  const watched = async (...work: Parameters<typeof transaction>) => {
    const result = await transaction.apply(database, work);
    if (JSON.stringify(result)?.includes('"admitted"')) isDown = true;
    return result;
  };
  Object.assign(database, { transaction: watched });
  return () => {
    isDown = false;
    Object.assign(database, { transaction });
  };
}
