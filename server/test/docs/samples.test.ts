import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readMarkdown } from '../../src/web/api/docs/markdown.ts';
import { openWorld, type World } from '../world/world.ts';

// Runs the samples of the README and the tutorials, unchanged except for address and key. Other tests run those of the
// operators' tutorial and the guides.
const root = join(import.meta.dirname, '../../..');
let world: World;
let folder: string;
before(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-samples-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
after(async () => {
  await world?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const files = ['README.md', ...globSync('docs/start/*.md', { cwd: root })].filter(
  (file) => !file.endsWith('operator.md'),
);
const samples = files.flatMap((file) =>
  readMarkdown(readFileSync(join(root, file), 'utf8')).flatMap((block) =>
    block.kind === 'code' && block.language !== ''
      ? [{ file, language: block.language, code: block.code }]
      : [],
  ),
);

const elsewhere = /^(export|git clone|npx darkroom|npm start)/;
const isRun = ({ language, code }: { language: string; code: string }) =>
  ['ts', 'python', 'go'].includes(language) || code.startsWith('curl ');

test('every sample is run here, or starts a program that other tests start', () => {
  for (const sample of samples) assert.ok(isRun(sample) || elsewhere.test(sample.code), sample.code);
  assert.deepEqual([...new Set(samples.filter(isRun).map(({ language }) => language))].sort(), [
    'go',
    'python',
    'sh',
    'ts',
  ]);
});

const run = promisify(execFile);
const programs: Record<string, { program: string; name: string; args: string[] }> = {
  sh: { program: 'sh', name: 'sample.sh', args: [] },
  ts: { program: process.execPath, name: 'sample.ts', args: [] },
  python: { program: 'python3', name: 'sample.py', args: [] },
  go: { program: 'go', name: 'sample.go', args: ['run'] },
};

for (const { file, language, code } of samples.filter(isRun)) {
  const { program, name, args } = programs[language] ?? { program: '', name: '', args: [] };
  const needed = language === 'sh' ? 'curl' : program;
  const skip =
    spawnSync(needed, [needed === 'go' ? 'version' : '--version']).status !== 0 && `NOT TESTED: no ${needed}`;
  test(`${file}: ${language}`, { skip }, async () => {
    const earlier = world.provider.requests.length;
    await rm(join(folder, 'fox.png'), { force: true });
    const filled = code.replaceAll(/http:\/\/(localhost|127\.0\.0\.1):3000/g, world.url);
    // Some systems have no `uuidgen` by default.
    const whole = language === 'sh' ? `uuidgen() { echo ${crypto.randomUUID()}; }\n${filled}` : filled;
    await writeFile(join(folder, name), whole);
    const { stdout } = await run(program, [...args, join(folder, name)], {
      cwd: folder,
      env: {
        ...process.env,
        DARKROOM_URL: world.url,
        DARKROOM_API_KEY: world.key,
        PYTHONPATH: join(import.meta.dirname, '../http/support/python'),
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    assert.equal(world.provider.requests.length, earlier + 1);
    if (language === 'sh') assert.equal(JSON.parse(stdout).job.status, 'done');
    else if (code.includes('fox.png'))
      assert.ok((await readFile(join(folder, 'fox.png'))).readUInt32BE(16) >= 1_024);
    else assert.match(stdout, /\/images\//);
  });
}
