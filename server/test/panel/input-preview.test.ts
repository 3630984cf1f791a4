import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { plainPng } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';
import { openMember } from './browser.ts';
import { email } from './support/member.ts';

const world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
after(() => world[Symbol.asyncDispose]());
const server = createServer((request, response) => {
  if (request.url === '/photo.png') response.end(plainPng(1600, 900));
  else if (request.url === '/page') response.end('<html>no image at all</html>');
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const { port } = server.address() as AddressInfo; // listening on TCP
const call = 'POST /panel/accounts/:account_id/input-preview';

test('a URL gets a small preview, decoded by us, or the reason why a create would refuse it', async () => {
  const member = await openMember(world, { email });
  const { image } = await member.call(call, { body: { url: `http://127.0.0.1:${port}/photo.png` } });
  const [, data = ''] = /^data:image\/\w+;base64,(.+)$/.exec(image) ?? [];
  const bytes = Buffer.from(data, 'base64');
  const { width, height } = await sharp(bytes).metadata();
  assert.deepEqual([width, height], [384, 216], 'not the file that was sent');
  assert.ok(bytes.byteLength > 0 && bytes.byteLength < 20_000);

  const refusals = {
    [`http://127.0.0.1:${port}/page`]: 'input_not_an_image',
    [`http://127.0.0.1:${port}/none`]: 'input_unfetchable',
    'http://169.254.169.254/latest/meta-data': 'input_blocked',
  };
  for (const [url, code] of Object.entries(refusals)) {
    const refused = await member.try(call, { body: { url } });
    const [error] = refused.body.errors as { pointer: string; code: string }[];
    assert.deepEqual([refused.status, error?.pointer, error?.code], [422, '/url', code], url);
  }
  const kept = await Array.fromAsync(world.app.images.list(''), ({ key }) => key);
  assert.deepEqual(kept, ['installation.json']);
});

test('a person who requests more than two requests’ worth has to wait', async () => {
  const member = await openMember(world, { email: 'bob@example.com' });
  const ask = () => member.try(call, { body: { url: 'http://169.254.169.254/' } });
  await using _held = await world.hold();
  const answers = await Promise.all(Array.from({ length: 60 }, ask));
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && refused.length <= 60 - 28, `${refused.length} refused`);
  assert.ok(Number(refused[0]?.headers.get('retry-after')) >= 1);
  world.clock.advance(1_000);
  assert.equal((await ask()).status, 422);
});
