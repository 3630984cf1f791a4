import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { apiPrefix } from '../server/src/web/api/api-call.ts';
import { adminPrefix } from '../server/src/web/api/installation-call.ts';
import { openWorld } from '../server/test/world/world.ts';
import { installTools } from './openapi-tools/install.ts';
import { preparePython } from './python.ts';

// npm run codegen
// Generates a TypeScript, a Python and a Go client from each OpenAPI document, compiles them unchanged, checks their
// names, and makes an image with each client of the public API.
const programs = join(import.meta.dirname, 'codegen');
const tools = join(await installTools(), 'node_modules/.bin');
const python = await preparePython('openapi-python-client==0.29.1');
const folder = await mkdtemp(join(tmpdir(), 'darkroom-clients-'));
try {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await using world = await openWorld();
  for (const prefix of [adminPrefix, apiPrefix]) {
    const document = join(folder, 'openapi.json');
    await writeFile(document, await (await fetch(`${world.url}${prefix}/openapi.json`)).text());
    const use = prefix === apiPrefix ? [world.url + prefix, world.key] : undefined;
    await tryTypeScript(document, use);
    await tryPython(document, use);
    await tryGo(document, use);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function tryTypeScript(document: string, use?: string[]): Promise<void> {
  const file = join(folder, 'api.ts');
  await run(join(tools, 'openapi-typescript'), document, '--output', file);
  await run(join(tools, 'tsc'), '--noEmit', '--strict', '--skipLibCheck', 'false', file);
  const text = await readFile(file, 'utf8');
  const { components, paths } = JSON.parse(await readFile(document, 'utf8'));
  for (const name of Object.keys(components.schemas)) expect(text.includes(`        ${name}: `), name);
  for (const operation of Object.values<Record<string, { operationId: string }>>(paths).flatMap(
    Object.values,
  ))
    expect(text.includes(`    ${operation.operationId}: {`), operation.operationId);
  // The generator must not see defaults: it would require fields with a default even in requests.
  expect(!/@default /.test(text.split('export interface operations')[0] ?? ''), 'a default');
  if (!use) return;
  const program = join(folder, 'make-image.ts');
  await cp(join(programs, 'make-image.ts'), program);
  const options = ['--strict', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
  const types = join(import.meta.dirname, '../node_modules/@types');
  await run(join(tools, 'tsc'), '--noEmit', ...options, '--typeRoots', types, program);
  await run(process.execPath, program, ...use);
}

async function tryPython(document: string, use?: string[]): Promise<void> {
  const config = join(folder, 'config.json');
  const place = join(folder, 'darkroom_api');
  // The generator does not know the media types of archives, images and JSON Lines.
  const bytes = 'application/octet-stream';
  const types = { 'application/zip': bytes, 'image/*': bytes, 'application/jsonl': 'text/plain' };
  await writeFile(config, JSON.stringify({ content_type_overrides: types }));
  const options = ['--meta', 'none', '--overwrite', '--fail-on-warning', '--config', config];
  await run(
    join(python, 'openapi-python-client'),
    ...['generate', '--path', document, '--output-path', place, ...options],
  );
  const models = await readdir(join(place, 'models'));
  // The generator invents names with these parts for unnamed schemas.
  expect(!models.some((name) => /response_\d|_body|_type_\d|_item\b/.test(name)), models.join(' '));
  for (const name of models) {
    const text = name.endsWith('.py') ? await readFile(join(place, 'models', name), 'utf8') : '';
    expect(!/\bVALUE_\d/.test(text), name);
  }
  process.stdout.write(`Python: ${models.map((name) => name.replace('.py', '')).join(' ')}\n`);
  await run(join(python, 'python'), '-m', 'compileall', '-q', place);
  if (!use) return;
  await cp(join(programs, 'make_image.py'), join(folder, 'make_image.py'));
  await run(join(python, 'python'), join(folder, 'make_image.py'), ...use);
}

async function tryGo(document: string, use?: string[]): Promise<void> {
  const place = join(folder, 'go');
  await cp(join(programs, 'go'), place, { recursive: true });
  await mkdir(join(place, 'api'), { recursive: true });
  const generated = ['-o', join(place, 'api/api.gen.go'), document];
  await run('go', '-C', place, 'tool', 'oapi-codegen', '-config', 'api.yaml', ...generated);
  await run('go', '-C', place, 'vet', './api');
  if (use) await run('go', '-C', place, 'run', '.', ...use);
}

/** This is asynchronous, because the clients send requests to a server in this process. */
async function run(command: string, ...args: string[]): Promise<void> {
  // The Python generator looks for its formatter in PATH.
  const env = { ...process.env, PATH: `${python}${delimiter}${process.env.PATH}` };
  const [status] = await once(spawn(command, args, { stdio: 'inherit', env }), 'exit');
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`unexpected names: ${what}`);
}
