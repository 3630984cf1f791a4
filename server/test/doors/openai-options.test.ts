import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { changeModel } from '../world/change-model.ts';
import { plainPng, TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { type OptionRow, optionRows, optionTable } from './openai-options.ts';

const provider = new TestProvider();
const routes = testRoutes(provider).map((route) => ({ ...route, parameters: { seed: 'seed' } }));
const world = await openWorld({ replacements: { routes } });
after(() => world[Symbol.asyncDispose]());
await changeModel(world, 'pro', (before) => {
  assert.ok(before);
  return { ...before, parameters: { seed: { type: 'integer' } } };
});
const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 });
const image = plainPng(64, 64);

test('every option of the official client works, or is refused by name, as the guide says', async (t) => {
  for (const row of optionRows) {
    for (const on of ['generate', 'edit'] as const) {
      if (row.on !== 'both' && row.on !== on) continue;
      await t.test(`${on}: ${row.option}`, async () => {
        if (row.refused === undefined) await send(on, row);
        else
          await assert.rejects(send(on, row), (error) => {
            assert.ok(error instanceof OpenAI.APIError, String(error));
            assert.deepEqual(
              [error.status, error.param],
              [row.about.startsWith('404') ? 404 : 400, row.refused],
            );
            assert.equal(error.type, 'invalid_request_error');
            assert.equal(error.headers?.get('x-should-retry'), 'false');
            return true;
          });
      });
    }
  }
});

test('the guide has a row for every option', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/openai.md'), 'utf8');
  assert.ok(guide.includes(optionTable()), `the guide must show:\n${optionTable()}`);
});

test('a size selects the nearest ratio and resolution, and without one the quality selects the resolution', async () => {
  const cases: [asked: object, size: string][] = [
    [{ size: '1024x1024' }, '1024x1024'],
    [{ size: '2048x2048', quality: 'low' }, '2048x2048'],
    [{ size: '256x256' }, '1024x1024'],
    [{ size: '1792x1024' }, '1376x768'],
    [{ size: '1024x1536' }, '848x1264'],
    [{ size: '4096x512' }, '3072x384'],
    [{ quality: 'high' }, '2048x2048'],
    [{ quality: 'max' }, '4096x4096'],
    [{ quality: 'max', model: 'nb' }, '1024x1024'],
    [{}, '1024x1024'],
  ];
  for (const [asked, size] of cases) {
    const reply = await client.images.generate({ prompt: 'a fox', response_format: 'url', ...asked });
    assert.equal(reply.size, size, JSON.stringify(asked));
  }
  const image = await toFile(plainPng(160, 90), 'wide.png');
  for (const model of ['nb', 'nb2'])
    assert.match((await client.images.edit({ image, prompt: 'a fox', model })).size ?? '', /^13\d\dx768$/);
});

async function send(on: 'generate' | 'edit', { send: options, ignored }: OptionRow): Promise<void> {
  const body = { prompt: 'a fox', ...options };
  const asked =
    on === 'generate'
      ? client.images.generate(body)
      : client.images.edit({
          ...(await withFiles(options)),
          image: await toFile(image, 'a.png'),
          prompt: 'a fox',
        });
  const { data: reply, response } = await asked.withResponse();
  assert.equal(response.headers.get('x-darkroom-ignored') ?? undefined, ignored);
  if (!('created' in reply)) {
    const events = await Array.fromAsync(reply as AsyncIterable<{ type: string }>); // the requested type
    assert.deepEqual(
      events.map(({ type }) => type),
      [on === 'generate' ? 'image_generation.completed' : 'image_edit.completed'],
    );
    return;
  }
  const wanted = Number(options.n ?? 1);
  assert.equal(reply.data?.length, wanted);
}

async function withFiles(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  const file = await toFile(image, 'b.png');
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, value === 'a file' ? file : value]),
  );
}
