import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { installTools } from './openapi-tools/install.ts';
import { preparePython } from './python.ts';

// npm run codegen: generates a TypeScript and a Python client from each document, compiles and imports them, and checks that
// the names are those that people would choose.
const documents = [
  { name: 'openapi.json', models: ['known_aspect_ratio.py', 'job_result.py'], use: 'api.jobs.get_job' },
  { name: 'openapi-admin.json', models: ['account.py', 'statement.py'], use: 'api.accounts.list_accounts' },
];
const tools = join(await installTools(), 'node_modules/.bin');
const python = await preparePython('openapi-python-client==0.29.1');
const folder = await mkdtemp(join(tmpdir(), 'darkroom-clients-'));
try {
  for (const { name, ...expected } of documents) {
    const document = join(import.meta.dirname, '..', name);
    await checkTypeScript(document, join(folder, 'api.ts'));
    await checkPython(document, join(folder, 'python'), expected);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function checkTypeScript(document: string, file: string): Promise<void> {
  run(join(tools, 'openapi-typescript'), document, '--output', file);
  run(join(tools, 'tsc'), '--noEmit', '--strict', '--skipLibCheck', 'false', file);
  const text = await readFile(file, 'utf8');
  const { components, paths } = JSON.parse(await readFile(document, 'utf8'));
  for (const name of Object.keys(components.schemas)) expect(text.includes(`        ${name}: `), name);
  for (const operation of Object.values<Record<string, { operationId: string }>>(paths).flatMap(
    Object.values,
  ))
    expect(text.includes(`    ${operation.operationId}: {`), operation.operationId);
}

async function checkPython(
  document: string,
  place: string,
  expected: { models: string[]; use: string },
): Promise<void> {
  const config = join(folder, 'config.json');
  // It knows neither archives nor pictures nor lines of JSON by their names.
  const bytes = 'application/octet-stream';
  const types = { 'application/zip': bytes, 'image/*': bytes, 'application/jsonl': 'text/plain' };
  await writeFile(config, JSON.stringify({ content_type_overrides: types }));
  const overwrite = ['--overwrite', '--fail-on-warning', '--config', config, '--output-path', place];
  run(join(python, 'openapi-python-client'), 'generate', '--path', document, '--meta', 'none', ...overwrite);
  const models = await readdir(join(place, 'models'));
  // What a generator makes up where a schema has no name: a path, a status, a number.
  expect(!models.some((name) => /response_\d|_body|_type_\d|_item\b/.test(name)), models.join(' '));
  expect(
    expected.models.every((name) => models.includes(name)),
    models.join(' '),
  );
  await writeFile(join(folder, 'use.py'), `import python.models, python.${expected.use}\n`);
  run(join(python, 'python'), join(folder, 'use.py'));
  process.stdout.write(`Python: ${models.map((name) => name.replace('.py', '')).join(' ')}\n`);
}

function run(command: string, ...args: string[]): void {
  // The Python generator calls its formatter by name.
  const env = { ...process.env, PATH: `${python}${delimiter}${process.env.PATH}` };
  const { status } = spawnSync(command, args, { stdio: 'inherit', env });
  if (status !== 0) throw new Error(`${command} failed`);
}

function expect(condition: boolean, what: string): void {
  if (!condition) throw new Error(`unexpected names: ${what}`);
}
