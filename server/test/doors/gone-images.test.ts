import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());

const openAi = { model: 'nb2', prompt: 'a fox' };
for (const { call, body, prefer } of [
  { call: '/v1/images/generations', body: openAi, prefer: undefined },
  { call: '/v1/images/generations', body: openAi, prefer: 'respond-async' },
  { call: '/v1/images/generations', body: { ...openAi, stream: true }, prefer: undefined },
  {
    call: '/v1beta/models/nb2:generateContent',
    body: { contents: [{ parts: [{ text: 'a fox' }] }] },
    prefer: undefined,
  },
  ...[{}, { stream: true }, { background: true }].map((more) => ({
    call: '/v1beta/interactions',
    body: { model: 'nb2', input: 'a fox', ...more },
    prefer: undefined,
  })),
])
  test(`${call} ${JSON.stringify({ ...body, prefer })} does not say that a removed image was never made`, async () => {
    const headers: Record<string, string> = {
      authorization: `Bearer ${world.key}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
      ...(prefer && { prefer }),
    };
    const ask = () => fetch(world.url + call, { method: 'POST', headers, body: JSON.stringify(body) });
    const first = await ask();
    await first.text();
    const id = first.headers.get('darkroom-job-id') ?? '';
    assert.equal((await world.finished(id)).status, 'done');
    assert.equal((await world.send('DELETE', `/jobs/${id}/image`)).status, 204);
    const location = first.headers.get('location');
    const again = await (location ? fetch(world.url + location, { headers }) : ask());
    const text = await again.text();
    assert.match(text, /image_gone|IMAGE_GONE|This image was deleted/);
    assert.doesNotMatch(text, /could not be made|The job failed|completed/);
    assert.ok(again.status < 500);
  });
