import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { adminScopes } from '../server/src/accounts/admin-keys/scopes.ts';
import { specifiedModels } from '../server/src/upstream/catalog/specified-models.ts';
import { apiPrefix } from '../server/src/web/api/api-call.ts';
import { adminPrefix } from '../server/src/web/api/installation-call.ts';
import { makeAdminKey } from '../server/test/admin/admin-client.ts';
import { openWorld } from '../server/test/world/world.ts';
import { preparePython } from './python.ts';

// npm run schemathesis -- [examples per operation] [public|admin] [more arguments of schemathesis]
// Starts servers, sends them requests that the OpenAPI documents allow or forbid, and checks every answer. For 1,000
// examples, each operation takes one processor about a minute. Uses one worker: with threads, Python 3.11 sometimes
// fails ("AST constructor recursion depth mismatch", python/cpython#106905).
const documents = { public: apiPrefix, admin: adminPrefix } as const;
type DocumentName = keyof typeof documents;

const folder = join(import.meta.dirname, 'schemathesis');
const [examples = '1000', ...rest] = process.argv.slice(2);
const all = Object.keys(documents) as DocumentName[]; // exactly its keys
const chosen = all.filter((name) => name === rest[0]);
const more = chosen.length > 0 ? rest.slice(1) : rest;

const bin = await preparePython('schemathesis==4.32.5');
await using strangers = await startStrangers();
for (const name of chosen.length > 0 ? chosen : all) process.exitCode ||= await examine(name);

/** Each document has its own server, because administration requests disable accounts that public requests need. */
async function examine(name: DocumentName): Promise<number> {
  await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
  const { key } =
    name === 'public'
      ? await world.account('schemathesis', { creditMicros: 1_000_000_000_000n })
      : await makeAdminKey(world, 'schemathesis', [...adminScopes]);
  const url = `${world.url}${documents[name]}`;
  const args = [
    ...['--config-file', join(folder, 'schemathesis.toml')],
    ...['run', `${url}/openapi.json`, '--url', url, '--workers', '1'],
    ...['--checks', 'all', '--max-examples', examples, '--continue-on-failure'],
    // schemathesis discards most of the examples that it makes for paths with a slash within a name. The server is not
    // at fault.
    ...['--suppress-health-check', 'filter_too_much'],
    // `/models/export` accepts DELETE, for a model named `export`, although the document lists only GET for this path.
    ...(name === 'admin' ? ['--exclude-checks', 'allow_header_conformance'] : []),
    ...more,
  ];
  // `await` keeps the server running until schemathesis ends.
  return await run(join(bin, 'schemathesis'), args, {
    SCHEMATHESIS_HOOKS: 'hooks',
    PYTHONPATH: folder,
    DARKROOM_KEY: key,
    DARKROOM_MODELS: JSON.stringify(specifiedModels),
    DARKROOM_RECEIVER_URL: `${strangers.url}/hook`,
    DARKROOM_IMAGE_URL: `${strangers.url}/image.png`,
  });
}

async function startStrangers() {
  const image = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'navy' } })
    .png()
    .toBuffer();
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET') response.writeHead(200, { 'content-type': 'image/png' }).end(image);
    else response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a listening TCP server has an address
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'darkroom-schemathesis-run-')); // schemathesis leaves a folder of examples behind
  const child = spawn(command, args, { stdio: 'inherit', cwd, env: { ...process.env, ...env } });
  const [code] = await once(child, 'exit');
  await rm(cwd, { recursive: true });
  return code ?? 1;
}
