import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { toAppError } from '../../src/base/http/send-problem.ts';
import { Overloaded } from '../../src/base/std/overloaded.ts';
import { createDecoder, type Decoder, type DecoderOptions } from '../../src/images/inputs/decoder.ts';
import { InputError } from '../../src/images/inputs/input-errors.ts';
import { decodeLimits } from '../../src/images/inputs/limits.ts';
import { blackPng } from './support/file-parts.ts';
import { onePixelPng } from './support/images.ts';
import { makeInputWorld } from './support/input-world.ts';
import { startStranger } from './support/strangers.ts';
import { timedUndisturbed } from './support/timed.ts';

const script = fileURLToPath(new URL('./support/faulty-child.ts', import.meta.url));
const lacksTaskset = spawnSync('taskset', ['--version']).status !== 0 && 'taskset is not there';
const never = new AbortController().signal;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-decoder-'));
});
after(() => rm(folder, { recursive: true }));

function faulty(options: DecoderOptions = {}): Decoder {
  return createDecoder({ script, ...options });
}

const ask = (decoder: Decoder, source: string, signal = never) =>
  decoder.decode({ source, target: join(folder, source), mediaType: 'image/png' }, signal, 'tests');

async function assertRefused(attempt: Promise<unknown>): Promise<void> {
  await assert.rejects(
    attempt,
    (error) => error instanceof InputError && error.code === 'input_not_an_image',
  );
}

test('an image that crashes the decoder is refused, and other images continue', async () => {
  await using decoder = faulty();
  const [, others] = await Promise.all([
    assertRefused(ask(decoder, 'crash')),
    Promise.all([ask(decoder, 'good'), ask(decoder, 'good'), ask(decoder, 'good')]),
  ]);
  assert.equal(others.length, 3);
  assert.equal((await ask(decoder, 'good')).width, 1);
});

test('a decoder that died for another reason is replaced, and the image is tried once more', async () => {
  await using decoder = faulty();
  assert.equal((await ask(decoder, 'crash once')).width, 1);
});

test('an image that hangs the decoder is refused soon after the time limit, and the child is ended', async () => {
  await using decoder = faulty({ limits: { imageMs: 1_500 } });
  await ask(decoder, 'good'); // from here on, the child runs
  const { ms, undisturbedMs } = await timedUndisturbed(() => assertRefused(ask(decoder, 'hang')));
  // Time in which other processes use the processors does not count, up to three times the limit.
  assert(ms >= 1_450 && undisturbedMs <= 6_000, `${ms} ms, ${undisturbedMs} of them undisturbed`);
  assert.equal((await ask(decoder, 'good')).width, 1);
});

test('an image is not refused because other processes use the processors', {
  skip: lacksTaskset,
}, async () => {
  await using decoder = faulty({ limits: { imageMs: 1_000 } });
  await ask(decoder, 'good'); // from here on, the child runs
  const [pid] = decoder.pids();
  execFileSync('taskset', ['-a', '-cp', '0', String(pid)], { stdio: 'ignore' });
  const spin = ['-c', '0', 'sh', '-c', 'while :; do :; done'];
  const others = Array.from({ length: 8 }, () => spawn('taskset', spin, { stdio: 'ignore' }));
  try {
    await Promise.all(others.map((other) => once(other, 'spawn')));
    assert.equal((await ask(decoder, 'work')).width, 1);
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
});

test('the time that a decoder takes to start is not counted against the image', async () => {
  const late = fileURLToPath(new URL('./support/late-child.ts', import.meta.url));
  await using decoder = createDecoder({ script: late, limits: { imageMs: 2_000 } });
  assert.equal((await ask(decoder, 'good')).width, 1);
});

test('a decoder’s answer is not believed unless it makes sense', async () => {
  await using decoder = faulty();
  for (const lie of ['wrong type', 'wrong size', 'no file', 'nonsense'])
    await assertRefused(ask(decoder, lie));
});

test('the decoder gets no secret: only the environment that a program needs to start', async () => {
  for (let index = 0; index < 20; index++) process.env[`DARKROOM_TEST_SECRET_${index}`] = 'secret';
  await using decoder = faulty();
  const { width: variables } = await ask(decoder, 'environment');
  assert(variables <= 12, `${variables} variables`);
});

test("a decoder that does not start is our failure, not the image's", async () => {
  await using decoder = faulty({ script: join(folder, 'missing.ts') });
  await assert.rejects(ask(decoder, 'good'), (error) => {
    assert.ok(error instanceof Overloaded && error.cause instanceof Error);
    assert.match(error.cause.message, /does not start/);
    const { code, message } = toAppError(error);
    assert.deepEqual([code, /decoder|missing/.test(message)], ['overloaded', false]);
    return true;
  });
});

test('a client that goes away ends the decoding', async () => {
  await using decoder = faulty();
  const client = new AbortController();
  const attempt = ask(decoder, 'hang', client.signal);
  client.abort(new Error('the client has gone'));
  await assert.rejects(attempt, /the client has gone/);
  await assert.rejects(ask(decoder, 'good', client.signal), /the client has gone/);
});

test('idle children are ended, and none is left when the decoder is disposed', async () => {
  const decoder = faulty({ idleMs: 50 });
  await Promise.all([ask(decoder, 'good'), ask(decoder, 'good')]);
  const deadline = AbortSignal.timeout(10_000);
  while (decoder.pids().length > 0 && !deadline.aborted)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(decoder.pids(), []);
  assert.equal((await ask(decoder, 'good')).width, 1);
  const pids = decoder.pids();
  assert(pids.length > 0);
  await decoder[Symbol.asyncDispose]();
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  await assert.rejects(ask(decoder, 'good'), /closed/);
});

test('an image that needs more memory than the limit is refused', async () => {
  const source = join(folder, 'large.png');
  await writeFile(source, blackPng({ width: 7000, height: 7000, depth: 1 }));
  await using decoder = createDecoder({ limits: { childBytes: 60_000_000 } });
  await assertRefused(
    decoder.decode({ source, target: `${source}.out`, mediaType: 'image/png' }, never, 'tests'),
  );
});

test('a child killed in the middle of a request does not fail it', async () => {
  const large = blackPng({ width: 7000, height: 7000, depth: 1 });
  await using stranger = await startStranger((request, response) => {
    response.end(request.url === '/large' ? large : onePixelPng);
  });
  await using world = await makeInputWorld();
  await using first = await world.ingest([`${stranger.origin}/small`]);
  assert.equal(first.files.length, 1);
  const ingesting = world.ingest([`${stranger.origin}/large`, `${stranger.origin}/small`]);
  await once(stranger.server, 'request');
  for (const pid of world.decoder.pids()) process.kill(pid, 'SIGKILL');
  await using second = await ingesting;
  assert.deepEqual(
    second.files.map((file) => file.width),
    [decodeLimits.longSide, 1],
  );
});
