import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ProblemDocument } from '@darkroom/sdk';
import { FakeApi } from '../../sdk/test/fake-api.ts';
import { eventually } from '../../server/test/http/support/requests.ts';
import { launcher, startWorld } from './run-darkroom.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;

type Refusal = [status: number, problem: Partial<ProblemDocument>, exitCode: number, says: RegExp];

const refusals: Refusal[] = [
  [401, { code: 'key_invalid', detail: 'The API key is not valid.' }, 3, /check DARKROOM_API_KEY/],
  [403, { code: 'model_forbidden', detail: 'This key may not use nb2.' }, 3, /another model/],
  [
    402,
    {
      code: 'insufficient_funds',
      detail: 'The balance does not cover this.',
      required: '0.04',
      available: '0.01',
    },
    4,
    /Needed 0\.04, available 0\.01\.\n {2}Next: an operator adds credit/,
  ],
  [
    422,
    {
      code: 'invalid_request',
      detail: 'Not valid.',
      errors: [{ pointer: '/aspect_ratio', detail: 'Not a ratio.' }],
    },
    5,
    /--aspect-ratio: Not a ratio\./,
  ],
  [
    503,
    { code: 'model_paused', detail: 'nb2 is paused.' },
    6,
    /wait 10 min\.\n {2}Next: try again later or use another model/,
  ],
];

for (const [status, problem, exitCode, says] of refusals) {
  test(`${status} exits ${exitCode}, says what to do, and names the request`, async () => {
    await using world = await startWorld();
    const headers = status === 503 ? { 'retry-after': '600' } : {};
    world.api.troubles.push({ status, problem, headers });
    const { code, stdout, stderr } = await world.run(['generate', 'a fox', '--json']);
    assert.equal(code, exitCode);
    assert.ok(stderr.startsWith(`darkroom: ${problem.detail}\n`), stderr);
    assert.match(stderr, says);
    assert.match(stderr, /\n {2}Request: req_fake\n$/);
    const { error } = JSON.parse(stdout);
    assert.deepEqual([error.code, error.status, error.request_id], [problem.code, status, 'req_fake']);
  });
}

test('502 is retried a few times, then exits 6', async () => {
  await using world = await startWorld();
  world.api.troubles.push({ status: 502 }, { status: 502 }, { status: 502 }, { status: 502 });
  assert.equal((await world.run(['balance'])).code, 6);
  assert.equal(world.api.received.length, 4);
});

test('a server that does not answer exits 6 soon and says how to start it', async () => {
  await using world = await startWorld();
  const gone = await FakeApi.start();
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  const { code, stdout, stderr } = await world.run(['balance', '--json'], { env: { DARKROOM_URL: url } });
  assert.equal(code, 6);
  assert.match(stderr, /the connection was refused\.\n {2}Next: start the server/);
  assert.equal(JSON.parse(stdout).error.code, 'network');
});

test('a mistake in a request is reported by its option or argument, or by its field if there is none', async () => {
  await using world = await startWorld();
  const refusal = async (detail: string, errors: { pointer: string; detail: string }[]) => {
    world.api.troubles.push({ status: 422, problem: { code: 'invalid_request', detail, errors } });
    const { stderr } = await world.run(['generate', 'a fox', '-p', 'steps=900']);
    return stderr.split('\n').filter((line) => /^(darkroom:| {2}[^RN])/.test(line));
  };
  const steps = { pointer: '/parameters/steps', detail: 'must be at most 50.' };
  const prompt = { pointer: '/prompt', detail: 'must not be empty.' };
  const other = { pointer: '/elsewhere', detail: 'is not known here; leave it out.' };
  const input = { pointer: '/input_images_urls/0', detail: 'The server answered with status 404.' };
  assert.equal(
    (await refusal('/parameters/steps must be at most 50.', [steps]))[0],
    'darkroom: --parameter must be at most 50.',
  );
  assert.deepEqual(
    await refusal('3 parts of the body are not valid; "errors" names each.', [steps, prompt, other]),
    [
      'darkroom: 3 parts of the body are not valid; "errors" names each.',
      '  --parameter: must be at most 50.',
      '  <prompt>: must not be empty.',
      '  /elsewhere: is not known here; leave it out.',
    ],
  );
  assert.deepEqual(await refusal(input.detail, [input]), [
    `darkroom: ${input.detail}`,
    '  Given by: --input',
  ]);
  assert.deepEqual(await refusal('The field "elsewhere" is not known here; leave it out.', [other]), [
    'darkroom: The field "elsewhere" is not known here; leave it out.',
    '  Field: /elsewhere',
  ]);
});

/** Operator verbs on a broken installation report what is wrong, not a defect or a stack trace. */
const broken: [what: string, verb: string, env: Record<string, string>, exitCode: number, says: RegExp][] = [
  [
    'a database that does not answer',
    'status',
    { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/x' },
    6,
    /^darkroom: The database does not answer\.\n {2}connect ECONNREFUSED 127\.0\.0\.1:1\n {2}Next: check that the database of DATABASE_URL runs/,
  ],
  [
    'a wrong setting',
    'status',
    { DARKROOM_STORAGE: 'ftp://images' },
    5,
    /^darkroom: DARKROOM_STORAGE must be "disk"/,
  ],
  [
    'an image store that cannot be opened',
    'verify',
    { DARKROOM_STORAGE: 'disk:/dev/null' },
    6,
    /^darkroom: The image store cannot be used: cannot open the image folder \/dev\/null.*\n(.*\n)? {2}Next: check DARKROOM_STORAGE/,
  ],
];

for (const [what, verb, env, exitCode, says] of broken) {
  test(`${what} exits ${exitCode} with a sentence`, async () => {
    await using world = await startWorld();
    await world.run(['migrate']);
    const { code, stdout, stderr } = await world.run([verb, '--json'], { env });
    assert.equal(code, exitCode, stderr);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /fault|\bat .*:\d+:\d+/);
    assert.ok(JSON.parse(stdout).error.code);
  });
}

test('a command that cannot be parsed exits 2, says so on stderr and sends nothing to the server', async () => {
  await using world = await startWorld();
  for (const args of [
    ['genrate', 'a fox'],
    ['generate'],
    ['generate', 'a', 'fox'],
    ['generate', 'a fox', '-m', 'NB?'],
    ['generate', 'a fox', '--nonsense'],
    ['generate', '-i', 'https://example.com/a.png'],
    ['generate', 'a fox', '-i', 'fox.png'],
    ['jobs'],
    ['jobs', 'list', '-n', '0'],
    ['key', 'create'],
    ['key', 'create', '--account', 'a', '--expires', 'soon'],
    ['key', 'create', '--account', 'a', '--models', 'nb,NB?'],
    ['account', 'credit', 'a', '10'],
    ['pause', 'NB?'],
    ['serve', '--role', 'cook'],
  ]) {
    const { code, stdout, stderr } = await world.run(args);
    assert.equal(code, 2, args.join(' '));
    assert.equal(stdout, '', args.join(' '));
    assert.match(stderr, /^darkroom: .*\n.*Next: |^Usage: /s, args.join(' '));
  }
  assert.equal(world.api.received.length, 0);
});

test('a number beyond its bounds is refused, and the answer names them', async () => {
  await using world = await startWorld();
  const wrong: [string[], RegExp][] = [
    [['jobs', 'list', '-n', '101'], /from 1 to 100\./],
    [['entries', '-n', '07'], /from 1 to 100\./],
    [['generate', 'a fox', '-n', '11'], /from 1 to 10\./],
    [['generate', 'a fox', '--compression', '101'], /from 0 to 100\./],
    [['generate', 'a fox', '--compression', '-1'], /from 0 to 100\./],
    [['voucher', 'create', '10', '0'], /from 1 on\./],
    [['voucher', 'create', '10', '1.5'], /from 1 on\./],
  ];
  for (const [args, says] of wrong) {
    const { code, stderr } = await world.run(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, says, args.join(' '));
  }
  assert.equal(world.api.received.length, 0);
});

test('help exits 0 and goes to stdout', async () => {
  await using world = await startWorld();
  for (const args of [[], ['--help'], ['generate', '--help'], ['account', 'create', '--help']]) {
    const { code, stdout, stderr } = await world.run(args);
    assert.equal(code, 0, args.join(' '));
    assert.match(stdout, /^Usage: darkroom/);
    assert.equal(stderr, '');
  }
});

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  test(`${signal} during an export exits ${exitCode} and leaves no part of an archive`, async () => {
    await using world = await startWorld();
    const file = join(world.folder, 'a.zip');
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/zip' }).write(Buffer.alloc(100_000));
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // it listens on TCP
      const { code, stderr } = await world.run(['account', 'export', 'one', '--to', file], {
        env: { DARKROOM_URL: `http://127.0.0.1:${port}`, DARKROOM_ADMIN_KEY: `dra_${'a'.repeat(40)}` },
        whileRunning: async (kill) => {
          await eventually(
            async () => existsSync(file) && statSync(file).size > 0,
            (isBegun) => isBegun,
          );
          kill(signal);
        },
      });
      assert.equal(code, exitCode, stderr);
      assert.match(stderr, /^darkroom: Stopped\. Nothing was saved\.\n/);
      assert.ok(!existsSync(file));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

test('Ctrl-C and Ctrl-D at a confirmation exit 130 and change nothing', {
  skip: !hasScript && 'no script(1)',
}, async () => {
  await using world = await startWorld();
  for (const key of ['\x03', '\x04']) {
    const command = `'${process.execPath}' '${launcher}' account erase one`;
    const child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: world.folder,
      env: {
        PATH: process.env.PATH,
        TERM: 'xterm',
        NO_COLOR: '1',
        DARKROOM_DATA_DIR: join(world.folder, 'no-data'),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!shown.includes('to confirm: ') && (shown + text).includes('to confirm: ')) child.stdin.write(key);
      shown += text;
    });
    assert.deepEqual(await ended, [130, null], shown);
    assert.match(shown, /\r\ndarkroom: Nothing was changed\.\r\n/);
  }
});
