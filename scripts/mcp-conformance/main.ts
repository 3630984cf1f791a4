import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openWorld } from '../../server/test/world/world.ts';
import { programs, signIn } from './sign-in.ts';

// npm run mcp-conformance
// Tests /mcp with the conformance suite and the inspector of MCP's authors, and signs in with FastMCP and OpenAI's
// Agents SDK. The suite and the inspector have too many dependencies for `npm ci`, so they are installed in a folder
// that is kept for the next run. FastMCP and the Agents SDK need python3 with venv; the script needs curl.
const packages = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
];
const folder = join(import.meta.dirname, '../../node_modules/.cache/darkroom-mcp');

/** The scenarios that apply to every server. Others need the tools, prompts and resources of the suite's example. */
const scenarios = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
  ],
};

if (!existsSync(join(folder, 'node_modules/@modelcontextprotocol/inspector'))) {
  await mkdir(folder, { recursive: true });
  await run('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', ...packages]);
}

await using world = await openWorld();
await using keyed = await startKeyed(world.url, world.key);
let failed = 0;
for (const [version, names] of Object.entries(scenarios)) {
  for (const name of names) {
    const args = ['server', '--url', `${keyed.url}/mcp`, '--scenario', name, '--spec-version', version];
    args.push('--expected-failures', join(import.meta.dirname, 'expected-failures.yml'));
    await report(`${name} of ${version}`, run(join(folder, 'node_modules/.bin/conformance'), args));
  }
}
const inspect = (...args: string[]) =>
  run(join(folder, 'node_modules/.bin/mcp-inspector'), [
    ...['--cli', `${world.url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${world.key}`],
    ...args,
  ]);
await report('inspector tools/list', inspect('--method', 'tools/list'));
const call = ['--method', 'tools/call', '--tool-name', 'generate_image', '--tool-arg', 'prompt=a fox'];
await report('inspector tools/call', inspect(...call));
await report('inspector resources/list', inspect('--method', 'resources/list'));
for (const name of Object.keys(programs) as (keyof typeof programs)[])
  await report(`${name} signs in, and makes an image`, signIn(world, name, run));
process.exitCode = failed === 0 ? 0 : 1;

async function report(name: string, result: Promise<unknown>): Promise<void> {
  const output = await result.then(
    () => undefined,
    (error: Error) => error.message,
  );
  process.stdout.write(`${output === undefined ? 'passed' : 'FAILED'}  ${name}\n${output ?? ''}`);
  if (output !== undefined) failed += 1;
}

/** Starts a proxy that adds a key to the suite's requests, because the suite sends none. */
async function startKeyed(target: string, key: string) {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const passed = request(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function run(command: string, args: readonly string[], env = process.env): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: import.meta.dirname, env });
  const printed: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => printed.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const text = Buffer.concat(printed).toString();
  if (code !== 0) throw new Error(`${text}\n${command} ended with ${code}\n`);
  return text;
}
