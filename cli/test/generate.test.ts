import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { FakeApi } from '../../sdk/test/fake-api.ts';
import { launcher, startWorld } from './run-darkroom.ts';

test('generate saves the image under a name from the prompt and prints only that path on stdout', async () => {
  await using world = await startWorld();
  const { code, stdout, stderr } = await world.run(['generate', 'A Red Fox, in the snow!']);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'a-red-fox-in-the-snow-00000001.png\n');
  assert.deepEqual(await readFile(join(world.folder, stdout.trim())), FakeApi.png);
});

test('without a terminal each state is a plain line with time and cost, nothing is rewritten or coloured', async () => {
  await using world = await startWorld();
  const { stderr } = await world.run(['generate', 'a fox', '-r', '2K', '-a', '16:9']);
  assert.match(stderr, /^processing {2}\d+\.\d s {2}nb2 2K 16:9 {2}cost 0\.04$/m);
  assert.match(stderr, /^done in \S+ s {2}1 × 1 {2}\d+ B {2}cost 0\.04$/m);
  assert.equal(stripVTControlCharacters(stderr), stderr);
  assert.ok(!stderr.includes('\r'));
});

test('options become the fields of the request, on the path of the model and mode', async () => {
  await using world = await startWorld();
  const inputs = ['https://example.com/a.png', 'https://example.com/b.png'];
  const args = [
    'generate',
    'a fox',
    '-m',
    'pro',
    '-a',
    'auto',
    '-r',
    '4K',
    '-i',
    ...inputs,
    '--callback-url',
    'https://example.com/hook',
  ];
  assert.equal((await world.run(args)).code, 0);
  assert.equal(world.api.received[0]?.path, '/api/v1/url-generations');
  assert.deepEqual(world.api.received[0]?.body, {
    prompt: 'a fox',
    aspect_ratio: 'auto',
    resolution: '4K',
    input_images_urls: inputs,
    callback_url: 'https://example.com/hook',
  });
});

for (const inputs of [
  ['-i', 'https://example.com/a.png', '-i', 'https://example.com/b.png', 'a fox'],
  ['-i', 'https://example.com/a.png', 'https://example.com/b.png', '--', 'a fox'],
]) {
  test(`the prompt may follow the inputs: ${inputs.join(' ')}`, async () => {
    await using world = await startWorld();
    await world.run(['generate', '--no-wait', ...inputs]);
    assert.deepEqual(world.api.received[0]?.body, {
      prompt: 'a fox',
      aspect_ratio: '1:1',
      input_images_urls: ['https://example.com/a.png', 'https://example.com/b.png'],
    });
  });
}

test('--json prints the job with the file as one object, and nothing else to either stream', async () => {
  await using world = await startWorld();
  const { stdout, stderr } = await world.run(['generate', 'a fox', '--json', '-o', 'fox.png']);
  const job = JSON.parse(stdout);
  assert.equal(job.status, 'done');
  assert.equal(job.file, join(world.folder, 'fox.png'));
  assert.equal(stderr, '');
});

test('-o replaces a file; without -o nothing is ever replaced', async () => {
  await using world = await startWorld();
  await writeFile(join(world.folder, 'mine.png'), 'old');
  await writeFile(join(world.folder, 'a-fox-00000002.png'), 'old');
  await world.run(['generate', 'a fox', '-o', 'mine.png']);
  const { stdout } = await world.run(['generate', 'a fox']);
  assert.deepEqual(await readFile(join(world.folder, 'mine.png')), FakeApi.png);
  assert.equal(stdout, 'a-fox-00000002-2.png\n');
  assert.equal(await readFile(join(world.folder, 'a-fox-00000002.png'), 'utf8'), 'old');
});

test('-o with a folder saves into it under an unused name', async () => {
  await using world = await startWorld();
  await mkdir(join(world.folder, 'out'));
  const { stdout } = await world.run(['generate', 'a fox', '-o', 'out']);
  assert.equal(stdout, `${join('out', 'a-fox-00000001.png')}\n`);
});

test('a prompt cannot lead out of the folder, and a prompt without words also gives a name', async () => {
  await using world = await startWorld();
  await world.run(['generate', '../../etc/passwd']);
  await world.run(['generate', '🦊!']);
  await world.run(['generate', `${'long '.repeat(20)}prompt`]);
  assert.deepEqual((await readdir(world.folder)).sort(), [
    'etc-passwd-00000001.png',
    'image-00000002.png',
    'long-long-long-long-long-long-long-long-00000003.png',
  ]);
});

test('a target that cannot be written is refused before there is a job to pay for', async () => {
  await using world = await startWorld();
  const { code, stderr } = await world.run(['generate', 'a fox', '-o', 'missing/fox.png']);
  assert.equal(code, 2);
  assert.match(stderr, /Cannot write to the folder missing/);
  assert.equal(world.api.received.length, 0);
});

test('--no-wait prints the id and says how to resume; jobs wait then saves the image', async () => {
  await using world = await startWorld();
  const { code, stdout, stderr } = await world.run(['generate', 'a fox', '--no-wait']);
  assert.equal(code, 0);
  const id = stdout.trim();
  assert.match(stderr, new RegExp(`come back with: darkroom jobs wait ${id} -o a-fox-00000001.png`, 'i'));
  const waited = await world.run(['jobs', 'wait', id, '-o', 'fox.png']);
  assert.equal(waited.stdout, 'fox.png\n');
  assert.deepEqual(await readFile(join(world.folder, 'fox.png')), FakeApi.png);
});

test('Ctrl-C leaves the job running, prints how to resume and exits 130', async () => {
  await using world = await startWorld();
  world.api.held = true;
  const { code, stdout, stderr } = await world.run(['generate', 'a fox', '-o', "it's.png"], {
    whileRunning: async (kill) => {
      await world.api.arrival('GET', '/api/v1/jobs/');
      kill('SIGINT');
    },
  });
  assert.equal(code, 130);
  assert.equal(stdout, '');
  assert.match(stderr, /The job continues on the server/);
  assert.ok(stderr.includes(`darkroom jobs wait ${world.api.jobs[0]?.job_id} -o 'it'\\''s.png'`), stderr);
  assert.equal(world.api.jobs[0]?.status, 'processing');
});

test('a job that fails exits 1, says why and what to do, and leaves no file', async () => {
  await using world = await startWorld();
  world.api.outcome = {
    status: 'failed',
    error: 'The provider refused the prompt.',
    error_code: 'safety_blocked',
  };
  const { code, stdout, stderr } = await world.run(['generate', 'a fox']);
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(
    stderr,
    /^darkroom: The provider refused the prompt\.\n.*\(safety_blocked\).*given back\.\n {2}Next: change the prompt/m,
  );
  assert.deepEqual(await readdir(world.folder), []);
});

test('with --json a job that fails is printed as the job', async () => {
  await using world = await startWorld();
  world.api.outcome = { status: 'failed', error: 'No image.', error_code: 'no_image' };
  const { code, stdout } = await world.run(['generate', 'a fox', '--json']);
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).error_code, 'no_image');
});

test('a lost answer is retried and makes one job', async () => {
  await using world = await startWorld();
  world.api.troubles.push('lost');
  const { code, stderr } = await world.run(['generate', 'a fox']);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /No answer from .* Trying again\./);
  assert.equal(world.api.jobs.length, 1);
});

const script = await promisify(execFile)('script', ['--version']).then(
  () => true,
  () => false,
);

test('on a terminal one line is rewritten, and NO_COLOR removes its colours', {
  skip: !script && 'no script(1)',
}, async () => {
  await using world = await startWorld();
  const onTerminal = async (env: Record<string, string>) => {
    const command = `'${process.execPath}' '${launcher}' generate fox -o fox.png`;
    const options = {
      cwd: world.folder,
      env: {
        PATH: process.env.PATH,
        TERM: 'xterm',
        DARKROOM_URL: world.api.url,
        DARKROOM_API_KEY: FakeApi.key,
        ...env,
      },
    };
    return (await promisify(execFile)('script', ['-qefc', command, '/dev/null'], options)).stdout;
  };
  const rewrite = '\r\x1b[K';
  const coloured = await onTerminal({});
  assert.ok(coloured.startsWith(`${rewrite}\x1b[36m⠙\x1b[39m sending  0.`), coloured);
  assert.ok(coloured.includes(`${rewrite}\x1b[32m✓\x1b[39m done in `), coloured);
  assert.ok(coloured.endsWith('\nfox.png\r\n'), coloured);
  assert.ok(!coloured.includes('\x1b_G'), 'it is not a terminal that shows images');
  const shown = await onTerminal({ TERM: 'xterm-kitty' });
  assert.match(
    shown.replaceAll('\x1b', '¬'),
    /\nfox\.png\r\n¬_Ga=T,f=100,q=2,c=60,m=0;iVBORw0KGgo[\w+/=]+¬\\\r\n$/,
  );
  assert.ok(!(await onTerminal({ TERM: 'xterm-kitty', TMUX: '1' })).includes('\x1b_G'));
  const plain = await onTerminal({ NO_COLOR: '1' });
  assert.ok(plain.includes(`${rewrite}✓ done in `), plain);
  assert.ok(!plain.replaceAll(rewrite, '').includes('\x1b'), plain);
});

test('-n makes several images at once, each by a job, and shows progress', async () => {
  await using world = await startWorld();
  const { code, stdout, stderr } = await world.run(['generate', 'a fox', '-n', '3', '-o', 'fox.png']);
  assert.equal(code, 0, stderr);
  assert.deepEqual(stdout.trim().split('\n').sort(), ['fox-1.png', 'fox-2.png', 'fox-3.png']);
  for (const name of ['fox-1.png', 'fox-2.png', 'fox-3.png'])
    assert.deepEqual(await readFile(join(world.folder, name)), FakeApi.png);
  assert.equal(world.api.jobs.length, 3);
  assert.match(stderr, /^0 of 3 {2}0\.\d s$/m);
  assert.match(stderr, /^1 of 3 {2}done in [\s\S]*^3 of 3 {2}done in .* cost 0\.04$/m);

  const json = await world.run(['generate', 'a fox', '-n', '2', '--json']);
  const files = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).file);
  assert.equal(new Set(files).size, 2);
  assert.equal(json.stderr, '');
  const ids = await world.run(['generate', 'a fox', '-n', '2', '--no-wait']);
  assert.equal(ids.stdout.trim().split('\n').length, 2);
  for (const count of ['0', '11', 'two'])
    assert.equal((await world.run(['generate', 'a fox', '-n', count])).code, 2);
});

test('of several images, those that succeed are saved, and failures are reported', async () => {
  await using world = await startWorld();
  world.api.troubles.push({ status: 402, problem: { code: 'insufficient_funds', detail: 'Not enough.' } });
  const { code, stdout, stderr } = await world.run(['generate', 'a fox', '-n', '3']);
  assert.equal(code, 4);
  assert.equal(stdout.trim().split('\n').length, 2);
  assert.match(stderr, /darkroom: Not enough\./);
});

test('Ctrl-C leaves all of several jobs running', async () => {
  await using world = await startWorld();
  world.api.held = true;
  const { code, stderr } = await world.run(['generate', 'a fox', '-n', '2'], {
    whileRunning: async (kill) => {
      await world.api.arrival('GET', '/api/v1/jobs/01890000-0000-7000-8000-000000000001');
      await world.api.arrival('GET', '/api/v1/jobs/01890000-0000-7000-8000-000000000002');
      kill('SIGINT');
    },
  });
  assert.equal(code, 130);
  assert.match(stderr, /The jobs continue on the server\.\n {2}Next: see them with: darkroom jobs list/);
});

test('--open passes the file to the desktop’s viewer', {
  skip: process.platform !== 'linux',
}, async () => {
  await using world = await startWorld();
  const viewer = join(world.folder, 'xdg-open');
  await writeFile(viewer, `#!/bin/sh\necho "$1" > '${world.folder}/opened'\n`, { mode: 0o755 });
  const env = { PATH: `${world.folder}:${process.env.PATH}` };
  assert.equal((await world.run(['generate', 'a fox', '-o', 'fox.png', '--open'], { env })).code, 0);
  const opened = () => readFile(join(world.folder, 'opened'), 'utf8').catch(() => '');
  while ((await opened()) === '') await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(await opened(), 'fox.png\n');
});

test('- reads the prompt or an image from the standard input, and empty input is an error before anything is sent', async () => {
  await using world = await startWorld();
  const made = await world.run(['generate', '-', '--no-wait'], { input: Buffer.from('a fox\nat dusk\n') });
  assert.equal(made.code, 0, made.stderr);
  assert.deepEqual(world.api.received[0]?.body, { prompt: 'a fox\nat dusk', aspect_ratio: '1:1' });
  const sent = world.api.received.length;
  for (const [args, input] of [
    [['generate', '-'], ''],
    [['generate', '-'], '\n'],
    [['generate', 'a fox', '-i', '-'], ''],
    [['generate', '-', '-i', '-'], 'a fox'],
    [['batch', 'create', '-'], ''],
  ] as const) {
    const { code, stdout, stderr } = await world.run([...args], { input: Buffer.from(input) });
    assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, /standard input/, args.join(' '));
  }
  assert.equal(world.api.received.length, sent);
});

test('-o - writes only the image to stdout, and creates no file named -', async () => {
  await using world = await startWorld();
  const made = await world.run(['generate', 'a fox', '-o', '-']);
  assert.deepEqual([made.code, made.stdout], [0, FakeApi.png.toString()], made.stderr);
  assert.deepEqual(await readdir(world.folder), []);
  const sent = world.api.received.length;
  for (const more of [['--json'], ['-n', '2'], ['--no-wait']]) {
    const { code, stderr } = await world.run(['generate', 'a fox', '-o', '-', ...more]);
    assert.equal(code, 2, stderr);
  }
  assert.equal(world.api.received.length, sent);
  const { code } = await world.run(['backup', '-']);
  assert.equal(code, 2);
  assert.deepEqual(await readdir(world.folder), []);
});
