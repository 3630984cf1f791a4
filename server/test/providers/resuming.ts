import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brokenJson, html } from '../emulators/emulator.ts';
import type { Harness } from './conformance.ts';
import { failureOf, request, run } from './requests.ts';

/** Tests for providers that submit a request, store its id and poll it. */
export function itResumes(harness: Harness, make: string, look: string): void {
  it('reads a request only after its id is stored', async () => {
    await using bench = await harness.open();
    let looks = -1;
    const onSubmitted = async () => {
      looks = bench.emulator?.of(look).length ?? -1;
    };
    await bench.provider.generate(request(), run({ onSubmitted }));
    assert.equal(looks, harness.looksBefore ?? 0);
  });

  it('neither reads nor loses a request whose id could not be stored', async () => {
    await using bench = await harness.open();
    const onSubmitted = () => Promise.reject(new Error('the database is away'));
    await assert.rejects(bench.provider.generate(request(), run({ onSubmitted })), /database is away/);
  });

  it('an attempt after a crash resumes the request: one remote job, one result', async () => {
    await using first = await harness.open();
    const wanted = request();
    let remoteId = '';
    // The process dies right after the id was stored: nothing of this attempt continues.
    const onSubmitted = async (id: string) => {
      remoteId = id;
      throw new Error('killed');
    };
    await assert.rejects(first.provider.generate(wanted, run({ onSubmitted })), /killed/);
    const again = async () => assert.fail('a request that is taken up is not submitted');
    const made = await first.provider.generate(wanted, run({ attempt: 2, remoteId, onSubmitted: again }));
    assert.ok(made.bytes.length > 0);
    assert.equal(first.emulator?.of(make).length, 1);
  });

  it('survives temporary failures while reading', async () => {
    await using bench = await harness.open();
    const onSubmitted = async () => bench.emulator?.answer(look, html(502), 'reset', brokenJson);
    const made = await bench.provider.generate(request(), run({ onSubmitted }));
    assert.ok(made.bytes.length > 0);
    assert.equal(bench.emulator?.of(make).length, 1);
  });

  it('when it gives up reading, the request still exists', async () => {
    await using bench = await harness.open();
    const stop = new AbortController();
    const onSubmitted = async () => {
      bench.emulator?.always(look, 'hang');
      bench.emulator?.arrived(look).then(() => stop.abort());
    };
    const error = await failureOf(
      bench.provider.generate(request(), run({ signal: stop.signal, onSubmitted })),
    );
    assert.deepEqual([error.kind, error.resumable], ['cancelled', true]);
  });

  it('a key that is revoked, or credit that runs out, while it reads does not lose the request', async () => {
    for (const [status, kind] of [
      [401, 'auth'],
      [402, 'quota'],
      [403, 'auth'],
    ] as const) {
      await using bench = await harness.open();
      const onSubmitted = async () => bench.emulator?.always(look, { status, body: { detail: 'no' } });
      const error = await failureOf(bench.provider.generate(request(), run({ onSubmitted })));
      assert.deepEqual([error.kind, error.resumable], [kind, true], `HTTP ${status}`);
    }
  });

  it('a request that the upstream has forgotten is given up as possibly billed, so that the next attempt submits again', async () => {
    await using bench = await harness.open();
    const remoteId = '3d0e8c5e-0000-4000-8000-00000000dead';
    const gone = remoteId.replaceAll('-', '');
    const error = await failureOf(bench.provider.generate(request(), run({ remoteId: gone })));
    assert.deepEqual([error.kind, error.resumable, error.sent], ['unavailable', false, true]);
    assert.equal(bench.emulator?.of(make).length, 0);
  });

  if (!harness.cannotCancel) itTellsTheUpstreamToStop(harness, look);

  const file = harness.stages?.file;
  if (file === undefined) return;
  it('a result that is temporarily unavailable is downloaded later, without credentials', async () => {
    await using bench = await harness.open();
    bench.emulator?.answer(file, 'reset', html(503));
    const made = await bench.provider.generate(request(), run());
    assert.ok(made.bytes.length > 0);
    assert.equal(bench.emulator?.of(file).length, 3);
    if (harness.privateFiles) return;
    for (const got of bench.emulator?.of(file) ?? []) {
      for (const name of ['authorization', 'x-key']) assert.equal(got.headers[name], undefined);
    }
  });

  it('a result that is gone ends the request', async () => {
    await using bench = await harness.open();
    bench.emulator?.always(file, { status: 404, body: 'expired' });
    const error = await failureOf(bench.provider.generate(request(), run()));
    assert.equal(error.resumable, false);
  });
}

function itTellsTheUpstreamToStop(harness: Harness, look: string): void {
  it('asks the upstream to stop', async () => {
    await using bench = await harness.open();
    const stop = new AbortController();
    let submitted = '';
    const onSubmitted = async (id: string) => {
      submitted = id;
      bench.emulator?.always(look, 'hang');
      bench.emulator?.arrived(look).then(() => stop.abort());
    };
    await failureOf(bench.provider.generate(request(), run({ signal: stop.signal, onSubmitted })));
    await bench.provider.cancel?.(submitted);
    const stopped = bench.emulator?.of('cancel') ?? [];
    assert.equal(stopped.length, 1);
    assert.ok(stopped[0]?.path.includes(submitted));
  });
}
