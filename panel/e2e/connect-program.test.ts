import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { suite, test } from 'node:test';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { addPerson, password } from '../../server/test/panel/browser.ts';
import { openPanel, skip } from './support.ts';

/** How long a disabled key may still be accepted. */
const knownForMs = 1_000;
const email = 'ada@example.com';

suite('programs that sign in', { skip }, () => {
  test('an assistant without a key gets its own by signing in, and the panel disables that key', async () => {
    await using panel = await openPanel();
    await addPerson(panel.world, { email, accountId: panel.world.accountId });
    const address = new URL(`${panel.world.url}/mcp`);
    await using program = await startProgram('Test  assistant');
    const open = () => new StreamableHTTPClientTransport(address, { authProvider: program.provider });

    const transport = open();
    await assert.rejects(newClient().connect(transport), UnauthorizedError);
    const page = await panel.visitor();
    await page.goto(program.signInAt());
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Connect Test assistant' }).waitFor();
    await page.getByLabel('Top tier (pro)').uncheck();
    const returned = program.returned();
    await page.getByRole('button', { name: 'Allow' }).click();
    const query = await returned;
    assert.equal(query.get('state'), program.state);
    await transport.finishAuth(query);

    const client = newClient();
    await client.connect(open());
    const { tools } = await client.listTools();
    const properties = tools[0]?.inputSchema.properties as { model: { enum: string[] } } | undefined;
    assert.deepEqual(properties?.model.enum, ['nb', 'nb2']);
    const answer = await client.callTool({ name: 'generate_image', arguments: { prompt: 'a fox' } });
    assert.equal((answer.structuredContent as { status: string }).status, 'done');

    await page.goto(panel.at('/keys'));
    const row = page.getByRole('row', { name: /Test assistant/ });
    await row.getByText('0.02').filter({ visible: true }).waitFor();
    await row.getByRole('button', { name: 'Disable Test assistant' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable key' }).click();
    await row.getByText('Disabled').waitFor();
    await panel.world.elapse(knownForMs);
    await assert.rejects(client.listTools({}, { cacheMode: 'refresh' }), UnauthorizedError);
  });

  test('a person who refuses returns without a code, and the browser never goes to a foreign address', async () => {
    await using panel = await openPanel();
    await using program = await startProgram('Other');
    const transport = new StreamableHTTPClientTransport(new URL(`${panel.world.url}/mcp`), {
      authProvider: program.provider,
    });
    await assert.rejects(newClient().connect(transport), UnauthorizedError);
    const page = await panel.operator();
    await page.goto(program.signInAt());
    const returned = program.returned();
    await page.getByRole('link', { name: 'Refuse' }).click();
    const query = await returned;
    assert.deepEqual([query.get('error'), query.get('code')], ['access_denied', null]);

    const elsewhere = new URL(program.signInAt());
    elsewhere.searchParams.set('redirect_uri', 'https://evil.example/callback');
    await page.goto(elsewhere.href);
    await page.getByText('an address that it did not register').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Allow' }).count(), 0);
  });
});

const newClient = () => new Client({ name: 'tests', version: '1' });

async function startProgram(name: string) {
  const server = createServer((_request, response) => response.end('You can close this window.'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  const redirectUrl = `http://127.0.0.1:${port}/callback`;
  const kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; at?: URL } =
    {};
  const state = 'a state';
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl] },
    state: () => state,
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens }),
    redirectToAuthorization: (at) => void Object.assign(kept, { at }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier ?? '',
  };
  return {
    provider,
    state,
    signInAt: () => kept.at?.href ?? assert.fail('the client did not ask to sign in'),
    returned: () =>
      new Promise<URLSearchParams>((resolve) => {
        server.on('request', ({ url = '' }) => {
          const { pathname, searchParams } = new URL(url, redirectUrl);
          if (pathname === '/callback') resolve(searchParams);
        });
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
