import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openWorld } from '../../server/test/world/world.ts';
import { launcher, startWorld } from './run-darkroom.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());

async function connect(env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp'],
    env,
    stderr: 'ignore',
  });
  try {
    await client.connect(transport);
  } catch (error) {
    await transport.close();
    throw error;
  }
  return client;
}

test('darkroom mcp serves an assistant on standard input as the server does on /mcp', async () => {
  const client = await connect({ DARKROOM_URL: `${world.url}/api/v1`, DARKROOM_API_KEY: world.key });
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['generate_image', 'get_job', 'list_models', 'get_balance'],
  );
  const heard: unknown[] = [];
  const { content, structuredContent } = await client.callTool(
    { name: 'generate_image', arguments: { prompt: 'a fox' } },
    { onprogress: (update) => heard.push(update) },
  );
  assert.deepEqual(
    content.map(({ type }) => type),
    ['text', 'image', 'resource_link'],
  );
  assert.equal((structuredContent as { status: string }).status, 'done');
  assert.ok(heard.length > 0);
  assert.equal((await client.listResources()).resources.length, 1);
  await client.close();
});

test('darkroom mcp answers a request whose answer breaks off', async () => {
  await using proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    if (body.includes('tools/call')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(': alive\n\n', () => response.destroy());
    }
    const { method = '', headers } = request;
    const { accept = '', authorization = '', 'content-type': type = '' } = headers;
    const asked = { accept, authorization, 'content-type': type };
    const answer = await fetch(`${world.url}/mcp`, {
      method,
      headers: asked,
      ...(body.length > 0 && { body }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.bytes());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo; // a listening TCP server has an address
  const client = await connect({ DARKROOM_URL: `http://127.0.0.1:${port}`, DARKROOM_API_KEY: world.key });
  const call = client.callTool({ name: 'generate_image', arguments: { prompt: 'a fox' } });
  await assert.rejects(call, /broke off before it answered/);
  await client.close();
  proxy.closeAllConnections();
});

test('darkroom mcp passes on the reason for a refusal, and says what is missing', async () => {
  await assert.rejects(
    connect({ DARKROOM_URL: world.url, DARKROOM_API_KEY: 'dk_wrong' }),
    /This API key is unknown, disabled or expired/,
  );
  await using offline = await startWorld();
  const unset = await offline.run(['mcp'], { env: { DARKROOM_URL: '', DARKROOM_API_KEY: '' } });
  assert.equal(unset.code, 2);
  assert.match(unset.stderr, /There is no API key/);
});
