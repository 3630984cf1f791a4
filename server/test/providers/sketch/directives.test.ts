import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { failureKinds, ProviderError } from '../../../src/upstream/providers/provider.ts';
import { parseDirectives } from '../../../src/upstream/providers/sketch/directives.ts';
import type { SketchSettings } from '../../../src/upstream/providers/sketch/settings.ts';
import { context, request, sketch } from './support.ts';

const small = { width: 64, height: 64 };

test('every kind of failure can be requested', async () => {
  for (const kind of failureKinds) {
    await assert.rejects(
      sketch.generate(request(`fox [[fail:${kind}]]`), context({ attempt: 9 })),
      (error) => error instanceof ProviderError && error.kind === kind,
    );
  }
});

test('a failure with a number ends after that many attempts', async () => {
  const flaky = request('fox [[fail:unavailable:2]]', small);
  for (const attempt of [1, 2])
    await assert.rejects(sketch.generate(flaky, context({ attempt })), { kind: 'unavailable' });
  assert.ok((await sketch.generate(flaky, context({ attempt: 3 }))).bytes.length > 0);
});

test('a delay is waited for', async () => {
  const start = performance.now();
  await sketch.generate(request('fox [[delay:150ms]]', small), context());
  assert.ok(performance.now() - start >= 149);
});

test('hang and delay end with the reason of the abort, at once', async () => {
  for (const directive of ['[[hang]]', '[[delay:1000s]]']) {
    const abort = new AbortController();
    const reason = new Error('lease lost');
    const work = sketch.generate(request(`fox ${directive}`), context({ signal: abort.signal }));
    abort.abort(reason);
    await assert.rejects(work, (error) => error === reason);
  }
});

test('an abort while drawing, or before, rejects with its reason', async () => {
  const reason = new Error('deadline');
  await assert.rejects(
    sketch.generate(request('fox'), context({ signal: AbortSignal.abort(reason) })),
    (error) => error === reason,
  );
  const abort = new AbortController();
  let rejected: unknown;
  const work = sketch.generate(
    request('city', { width: 5504, height: 3072 }),
    context({ signal: abort.signal }),
  );
  const settled = work.catch((error: unknown) => {
    rejected = error;
  });
  await immediate();
  abort.abort(reason);
  await immediate();
  assert.equal(rejected, reason, 'it waited for the drawing to end');
  await settled;
});

test('crash kills the drawing process, and with a number only on that many attempts', async () => {
  const module = new URL('../../../src/upstream/providers/sketch/sketch.ts', import.meta.url).href;
  const run = async (prompt: string, attempt: number, settings: SketchSettings = { crash: true }) => {
    const script = `const { createSketch } = await import(${JSON.stringify(module)});
      await createSketch(${JSON.stringify(settings)}).generate(${JSON.stringify(request(prompt, small))}, { signal: new AbortController().signal, attempt: ${attempt}, onSubmitted: async () => {} });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    const [code, signal] = await once(child, 'exit');
    return signal ?? code;
  };
  assert.equal(await run('[[crash]]', 7), 'SIGKILL');
  assert.equal(await run('[[crash:2]]', 2), 'SIGKILL');
  assert.equal(await run('[[crash:2]]', 3), 0);
  assert.equal(await run('[[crash]]', 1, {}), 0, 'it was not asked for');
  assert.equal(await run('[[crash]]', 1, { directives: false, crash: true }), 0);
});

test('only whole directives are removed from a prompt', () => {
  assert.deepEqual(parseDirectives('a [[delay:3s]] fox [[fail:no_image]]'), {
    prompt: 'a fox',
    directives: [
      { name: 'delay', delayMs: 3000 },
      { name: 'fail', kind: 'no_image' },
    ],
  });
  for (const prompt of [
    '[[fail:nonsense]]',
    '[[delay]]',
    '[[delay:3h]]',
    '[crash]',
    '[[wiki link]]',
    '[[hang:3]]',
    '[[crash:now]]',
    '[[crash]]',
    '[[crash:2]]',
  ]) {
    assert.deepEqual(parseDirectives(prompt), { prompt, directives: [] });
  }
});
