import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import type { Darkroom } from '../../sdk/src/darkroom.ts';
import { openPanel, skip } from './support.ts';

suite('the SDK in a browser', { skip }, () => {
  test('makes an image from another site’s page, with a client token, and follows its progress', async () => {
    await using site = await serveSdk();
    await using panel = await openPanel({ env: { DARKROOM_CORS_ORIGINS: site.url } });
    const { body } = await panel.world.send('POST', '/client-tokens', { body: {} });
    const page = await panel.visitor();
    await page.goto(site.url);
    const made = await page.evaluate(
      async ({ sdk, baseUrl, apiKey }) => {
        const { Darkroom: Client } = (await import(sdk)) as { Darkroom: typeof Darkroom };
        const darkroom = new Client({ baseUrl, apiKey });
        const { status, result } = await darkroom.generate('nb2', { prompt: 'a fox', aspect_ratio: '1:1' });
        const drawn = new Image();
        drawn.src = result.image_url;
        await drawn.decode();
        const refused = await darkroom.balance().catch((error: { code: string }) => error.code);
        return { status, width: drawn.naturalWidth, refused };
      },
      { sdk: '/index.js', baseUrl: panel.world.url, apiKey: String(body.token) },
    );
    assert.deepEqual(made, { status: 'done', width: 1024, refused: 'token_forbidden' });
  });
});

async function serveSdk() {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-sdk-'));
  await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, '../../sdk/scripts/build.ts'),
    folder,
  ]);
  const server = createServer(async (request, response) => {
    const name = request.url ?? '';
    const isScript = name.endsWith('.js');
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? await readFile(join(folder, name)) : '<!doctype html>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}
