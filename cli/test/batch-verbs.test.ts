import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ProviderError } from '../../server/src/upstream/providers/provider.ts';
import { openWorld, type World } from '../../server/test/world/world.ts';
import { type RunOptions, runDarkroom } from './run-darkroom.ts';

let world: World;
let folder: string;
before(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-batches-'));
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function run(args: string[], options: Partial<RunOptions> = {}) {
  const env = { DARKROOM_URL: world.url, DARKROOM_API_KEY: world.key };
  return runDarkroom(['batch', ...args], { cwd: folder, env, ...options });
}

function lines(...prompts: string[]): Buffer {
  const requests = prompts.map((prompt) => ({
    model: 'nb',
    mode: 'text',
    body: { prompt, aspect_ratio: '1:1' },
  }));
  return Buffer.from(requests.map((one) => `${JSON.stringify(one)}\n`).join('\n'));
}

test('a batch is created from a file, waited for, listed and read, and its images are saved', async () => {
  await writeFile(join(folder, 'requests.jsonl'), lines('a fox', 'a hare', 'an owl\u200f'));
  const made = await run(['create', 'requests.jsonl', '--wait', '--name', 'animals']);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stderr, /^\d of 3 {2}\d+\.\d s {2}cost /m);
  assert.match(made.stderr, /3 done in .* cost 0\.06\n$/);
  const id = made.stdout.trim();
  assert.match(
    (await run(['list'])).stdout,
    new RegExp(`^BATCH .*\\n${id}  animals  done  +3     3       0     0\\.06`),
  );
  assert.match((await run(['get', id])).stdout, /^jobs +3: 3 done, 0 failed, 0 processing, 0 queued$/m);
  const results = (await run(['results', id])).stdout.trimEnd().split('\n');
  assert.deepEqual(
    results.map((line) => JSON.parse(line)).map(({ index, job }) => [index, job.prompt, job.status]),
    [
      [0, 'a fox', 'done'],
      [1, 'a hare', 'done'],
      [2, 'an owl\u200f', 'done'],
    ],
  );
  const saved = await run(['images', id, '-o', 'animals.zip']);
  assert.equal(saved.stdout, `${join(folder, 'animals.zip')}\n`);
  assert.equal((await readFile(join(folder, 'animals.zip'))).subarray(0, 2).toString(), 'PK');
  assert.match((await run(['cancel', id])).stderr, /Nothing was cancelled/);
});

test('the same key and requests make one batch, from the standard input too', async () => {
  const args = ['create', '-', '--idempotency-key', 'once', '--json'];
  const [first, second] = [
    await run(args, { input: lines('a fox') }),
    await run(args, { input: lines('a fox') }),
  ];
  assert.equal(JSON.parse(first.stdout).jobs, 1);
  assert.equal(JSON.parse(second.stdout).batch_id, JSON.parse(first.stdout).batch_id);
});

test('a dry run says what a batch would cost, and creates none', async () => {
  const before = (await run(['list', '--json'])).stdout;
  const quoted = await run(['create', '-', '--dry-run'], { input: lines('a fox', 'a hare') });
  assert.deepEqual(
    [quoted.code, quoted.stdout],
    [0, 'jobs      2\nprice     0.04 together\naccepted  yes\n'],
  );
  const { stdout } = await run(['create', '-', '--dry-run', '--json'], { input: lines('a fox') });
  assert.deepEqual(JSON.parse(stdout), {
    ...{ jobs: 1, price: '0.02', prices: ['0.02'] },
    ...{ accepted: true, reasons: [], detail: null },
  });
  assert.equal((await run(['list', '--json'])).stdout, before);
});

test('an error names the line that is not JSON, or the request that the server refuses', async () => {
  const broken = await run(['create', '-'], {
    input: Buffer.concat([lines('a fox'), Buffer.from('{"model"\n')]),
  });
  assert.deepEqual([broken.code, broken.stdout], [2, '']);
  assert.match(broken.stderr, /Line 2 is not JSON\./);
  assert.equal((await run(['create', '-'], { input: Buffer.from('\n') })).code, 2);
  const refused = await run(['create', '-'], { input: lines('a fox', '') });
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /\/requests\/1\/body\/prompt/);
});

test('a batch with failures exits 1, and says where to look', async () => {
  const { handler } = world.provider;
  world.provider.handler = async (request) => {
    if (request.prompt.includes('badger')) throw new ProviderError('safety_blocked', 'No badgers.');
    return world.provider.answer(request);
  };
  const made = await run(['create', '-', '--wait', '--json'], { input: lines('a fox', 'a badger') });
  world.provider.handler = handler;
  assert.equal(made.code, 1);
  assert.match(made.stderr, /1 of 2 failed; 1 done\. Cost 0\.02\.\n.*darkroom batch results /);
  assert.deepEqual(JSON.parse(made.stdout).counts, { queued: 0, processing: 0, done: 1, failed: 1 });
});

test('an archive that cannot be fetched does not replace an existing file', async () => {
  await writeFile(join(folder, 'kept.zip'), 'mine');
  const sent = await run(['images', 'nobody', '-o', '-']);
  assert.equal(sent.code, 5);
  assert.match(sent.stderr, /^darkroom: .*\n {2}Request: /);
  const { code, stderr } = await run(['images', 'nobody', '-o', 'kept.zip']);
  assert.equal(code, 5);
  assert.match(stderr, /There is no such batch/);
  assert.equal(await readFile(join(folder, 'kept.zip'), 'utf8'), 'mine');
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('a target that cannot be written is named, before any request and during the download', async () => {
  const nowhere = await run(['images', 'nobody', '-o', '/nope/x.zip']);
  assert.deepEqual(
    [nowhere.code, nowhere.stderr],
    [2, 'darkroom: Cannot write to the folder /nope.\n  Next: choose another place with -o FILE\n'],
  );
  const made = await run(['create', '-', '--wait'], { input: lines('a fox') });
  const file = join(folder, 'full.zip');
  await symlink('/dev/full', `${file}.part`);
  const full = await run(['images', made.stdout.trim(), '-o', 'full.zip']);
  assert.deepEqual(
    [full.code, full.stderr],
    [
      6,
      `darkroom: ${file} cannot be written: its disk is full.\n  Next: choose another place with -o FILE\n`,
    ],
  );
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('full')),
    [],
  );
});
