import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type ApiRequest, codeSamples } from '../../../panel/src/features/make/code-samples.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';
import { blocksOf, filledIn, guides } from './support/guide-blocks.ts';

// Runs the snippets of guides and panel, unchanged except for address and key. Python with vendors' libraries runs
// in npm run clients.
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const missing = (program: string) => spawnSync(program, ['--version']).status !== 0;
const onWindows = process.platform === 'win32' && 'NOT TESTED: no sh';
const without = (program: string) => (missing(program) ? `NOT TESTED: no ${program}` : false);

let world: World;
let folder: string;
before(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-guides-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of ['fox.png', 'photo.jpg']) await writeFile(join(folder, name), plainPng(64, 48));
  process.chdir(folder);
  process.env.DARKROOM_URL = world.url;
  process.env.DARKROOM_API_KEY = world.key;
});
after(async () => {
  process.chdir(root);
  await world?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Snippets that other tests run, by their beginning. */
const elsewhere: Record<string, string> = {
  'npx @modelcontextprotocol/inspector': 'npm run mcp-conformance',
  'python3 -m venv litellm': 'npm run clients',
  'model_list:': 'npm run clients',
  'npm install ai': 'package.json has them',
  'ENABLE_IMAGE_GENERATION=true': 'programs.test.ts',
  'DARKROOM_CORS_ORIGINS=': 'cors.test.ts',
  '<script type="module">': 'package.test.ts of the SDK',
  'npm install http': 'package.test.ts of the SDK',
};
const all = guides.flatMap(blocksOf);
const blocks = all.filter(({ code }) => !Object.keys(elsewhere).some((start) => code.startsWith(start)));
const firstLine = (code: string) => code.split('\n', 1)[0];
const of = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

test('every snippet of the guides is run, here or elsewhere', () => {
  const runHere = [
    ...of('js', 'ts', 'python', 'json'),
    ...of('sh').filter(({ code }) => /^(curl|claude) /.test(code)),
  ];
  assert.deepEqual(new Set(runHere), new Set(blocks));
  for (const start of Object.keys(elsewhere))
    assert.equal(all.filter(({ code }) => code.startsWith(start)).length, 1, start);
});

test('no printed or written command leads to a package in a public registry', () => {
  const texts = globSync(
    [
      '{README,SECURITY}.md',
      'docs/{guides,providers}/*.md',
      '{sdk,cli}/README.md',
      '{server,cli,sdk,panel}/src/**/*.{ts,tsx,js}',
    ],
    { cwd: root },
  );
  assert.ok(texts.length > 300);
  for (const file of texts) {
    const text = readFileSync(join(root, file), 'utf8');
    assert.doesNotMatch(
      text,
      /(npm (i|install|exec)|npx|pnpm|yarn|bunx?)( -\S+)* (@darkroom\/|darkroom-)/,
      file,
    );
    // Clients install this command through a link; in the clone, it is the clone's own.
    if (/^(panel|server|cli)/.test(file) && text.includes('npx darkroom')) assert.match(text, /folder/, file);
  }
});

suite('JavaScript and TypeScript of the guides', () => {
  for (const [index, { guide, code, language }] of of('js', 'ts').entries())
    test(`${guide}.md: ${firstLine(code)}`, async () => {
      const earlier = world.provider.requests.length;
      await importCode(`block-${index}.${language}`, filledIn(code, world));
      if (!code.includes('createClientToken')) assert.equal(world.provider.requests.length, earlier + 1);
      if (code.includes("writeFile('fox.png'")) await isImage('fox.png');
    });
});

const isRunHere = (python: string) => python.includes('import requests');

suite('Python of the guides', { skip: without('python3') }, () => {
  for (const [index, { guide, code }] of of('python').entries())
    test(`${guide}.md: ${isRunHere(code) ? 'runs' : 'can be read'}`, async () => {
      const file = `block-${index}.py`;
      await writeFile(file, filledIn(code, world));
      if (isRunHere(code)) await python(file);
      else await run('python3', ['-c', `compile(open("${file}").read(), "${file}", "exec")`]);
    });
});

suite('commands of the guides', { skip: without('curl') }, () => {
  for (const { guide, code } of of('sh').filter(({ code }) => code.startsWith('curl')))
    test(`${guide}.md: ${firstLine(code)}`, async () => {
      const answer = JSON.parse(await shell(filledIn(code, world)));
      assert.ok(answer.data?.[0].url ?? answer.candidates?.[0].content.parts[0].inlineData.data);
    });
});

suite('settings of assistants', () => {
  const settings = () => of('json').map(({ code }) => JSON.parse(filledIn(code, world)));

  test('VS Code reaches the server with the address and the headers of its mcp.json', async () => {
    const { inputs, servers } = settings().find((one) => 'servers' in one);
    const { type, url, headers } = servers.darkroom;
    assert.equal(type, 'http');
    assert.deepEqual(Object.keys(inputs[0]), ['type', 'id', 'description', 'password']);
    const authorization = headers.Authorization.replace(`\${input:${inputs[0].id}}`, world.key);
    await listsTools(httpTransport(url, authorization));
  });

  test('Claude Desktop starts the command of its claude_desktop_config.json', async () => {
    const { mcpServers } = settings().find((one) => 'mcpServers' in one);
    const { command, args, env } = mcpServers.darkroom;
    const [program, ...more] = args.map((arg: string) => arg.replace('/path/to/darkroom', root));
    const node = command === 'node' ? process.execPath : command;
    await listsTools(new StdioClientTransport({ command: node, args: [program, ...more], env }));
  });

  test('Claude Code’s command names the address and the header', { skip: onWindows }, async () => {
    const [block] = of('sh').filter(({ code }) => code.startsWith('claude mcp add'));
    const words = await shell(`claude() { printf '%s\\n' "$@"; }; ${filledIn(block?.code ?? '', world)}`);
    const [, , , , name, url = '', , header = ''] = words.split('\n');
    assert.equal(name, 'darkroom');
    await listsTools(httpTransport(url, header.replace('Authorization: ', '')));
  });
});

suite('samples of the panel', () => {
  const body = {
    prompt: `it's "night" \\ and\na second line of 100 % 雪`,
    aspect_ratio: '16:9',
    resolution: '2K',
    callback_url: null,
  } as unknown as ApiRequest['body']; // a body that an API job can have
  const samples = () => codeSamples({ model: 'nb2', mode: 'text', body }, world.url);

  async function makes(sample: () => Promise<unknown>): Promise<void> {
    const earlier = world.provider.requests.length;
    await sample();
    const [job] = (await world.send('GET', '/jobs?limit=1')).body.data as { job_id: string }[]; // the documented shape
    const { prompt, resolution, status } = await world.finished(job?.job_id ?? '');
    assert.deepEqual([prompt, resolution, status], [body.prompt, '2K', 'done']);
    assert.equal(world.provider.requests.length, earlier + 1);
  }

  test('curl', { skip: without('curl') }, () => makes(() => shell(samples().curl)));

  test('Python', { skip: without('python3') }, () =>
    makes(async () => {
      await writeFile('sample.py', samples().Python);
      assert.match(await python('sample.py'), /\/images\//);
    }),
  );

  test('TypeScript', () => makes(() => importCode('sample.ts', samples().TypeScript)));

  test('the command line', { skip: onWindows }, () =>
    makes(async () => {
      const { CLI } = codeSamples(
        { model: 'nb2', mode: 'text', body: { ...body, callback_url: '' } },
        world.url,
      );
      const launcher = join(root, 'cli/bin/darkroom.mjs');
      await shell(`npx() { shift 2; '${process.execPath}' '${launcher}' "$@"; }; ${CLI}`);
      await isImage('image.png');
    }),
  );
});

/** Asserts that this is the new image: those of earlier tests are smaller. */
async function isImage(name: string): Promise<void> {
  const file = await readFile(name);
  assert.ok(file.readUInt32BE(16) >= 1_024, name);
}

async function importCode(name: string, code: string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, code);
  await import(pathToFileURL(file).href);
}

async function python(file: string): Promise<string> {
  const library = join(import.meta.dirname, 'support/python');
  const env = { ...process.env, PYTHONPATH: library, PYTHONDONTWRITEBYTECODE: '1' };
  return (await run('python3', [file], { env })).stdout;
}

async function shell(line: string): Promise<string> {
  return (await run('sh', ['-c', `uuidgen() { echo ${crypto.randomUUID()}; }; ${line}`])).stdout;
}

function httpTransport(url: string, authorization: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } });
}

async function listsTools(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<void> {
  const client = new Client({ name: 'tests', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'generate_image'));
  await client.close();
}
