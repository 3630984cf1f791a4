import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import {
  type FailureKind,
  type Provider,
  ProviderError,
  type ToldCharge,
} from '../../src/upstream/providers/provider.ts';
import { reportedUnits } from '../../src/upstream/providers/providers.ts';
import { brokenJson, type Emulator, html, type Scripted } from '../emulators/emulator.ts';
import { failureOf, inputs, request, run } from './requests.ts';
import { itResumes } from './resuming.ts';

export interface Bench extends AsyncDisposable {
  provider: Provider;
  /** Undefined for a provider that makes images itself. */
  emulator?: Emulator;
}

export interface FailureRow {
  name: string;
  /** The upstream's answer, by default to the call that makes an image. */
  reply?: Scripted;
  stage?: string;
  arrange?(emulator: Emulator): void;
  prompt?: string;
  kind: FailureKind;
  /** The kind of failure that closes the route; absent if the request may be the cause. */
  closes?: FailureKind;
  retryAfterMs?: number;
  resumable?: boolean;
  /** The client's message in addition to the sentence of the kind. */
  message?: RegExp;
}

export interface Harness {
  name: string;
  open(): Promise<Bench>;
  rows: readonly FailureRow[];
  /** Text that no error may repeat. */
  secret?: string;
  stages?: {
    /** The call that makes an image, or submits the request for one. */
    make: string;
    /** The call that reads a submitted request, if the protocol has one. */
    look?: string;
    /** The call that downloads a result, if the protocol has one. */
    file?: string;
    check: string;
  };
  /** The number of lookups for a request of an earlier attempt, before a new one is submitted. */
  looksBefore?: number;
  /** True if the protocol cannot stop a submitted request. */
  cannotCancel?: boolean;
  /** True if results come from the same server, under the same login. */
  privateFiles?: boolean;
}

/** Tests that every provider passes. */
export function conforms(harness: Harness): void {
  describe(`provider ${harness.name}`, () => {
    itMakesImages(harness);
    itFailsInTheWordsOfTheContract(harness);
    if (harness.stages) itStandsBadUpstreams(harness, harness.stages);
    if (harness.stages?.look) itResumes(harness, harness.stages.make, harness.stages.look);
  });
}

function itMakesImages(harness: Harness): void {
  it('makes an image from text in every ratio and resolution it claims', async () => {
    await using bench = await harness.open();
    const { ratios, resolutions } = bench.provider.capabilities;
    assert.ok(ratios.length > 0 && resolutions.length > 0);
    for (const aspectRatio of ratios) {
      const made = await bench.provider.generate(
        request({ aspectRatio, resolution: resolutions.at(-1) ?? '' }),
        run(),
      );
      assert.ok(((await sharp(made.bytes).metadata()).width ?? 0) > 0);
    }
  });

  it('reports its use only in the units that are listed for it', async () => {
    await using bench = await harness.open();
    const told: string[] = [];
    const onCharge = ({ used = {} }: ToldCharge) => void told.push(...Object.keys(used));
    await bench.provider.generate(request(), run({ onCharge }));
    const units: readonly string[] = reportedUnits(bench.provider.id);
    assert.deepEqual(
      told.filter((unit) => !units.includes(unit)),
      [],
    );
  });

  it('takes as many inputs as it claims', async () => {
    await using bench = await harness.open();
    const { maxInputs } = bench.provider.capabilities;
    for (const count of new Set([Math.min(1, maxInputs), maxInputs])) {
      const made = await bench.provider.generate(request({ inputs: await inputs(count) }), run());
      assert.ok(((await sharp(made.bytes).metadata()).width ?? 0) > 0);
    }
  });

  it('is healthy when its upstream is, and makes no image to find out', async () => {
    await using bench = await harness.open();
    assert.deepEqual(await bench.provider.check(AbortSignal.timeout(20_000)), { ok: true });
    if (harness.stages) assert.equal(bench.emulator?.of(harness.stages.make).length, 0);
  });
}

function itFailsInTheWordsOfTheContract(harness: Harness): void {
  for (const row of harness.rows) {
    it(`${row.name}: ${row.kind}`, async () => {
      await using bench = await harness.open();
      if (row.reply && bench.emulator)
        bench.emulator.always(row.stage ?? harness.stages?.make ?? '', row.reply);
      if (bench.emulator) row.arrange?.(bench.emulator);
      const wanted = request(row.prompt === undefined ? {} : { prompt: row.prompt });
      const error = await failureOf(bench.provider.generate(wanted, run()));
      assert.equal(error.kind, row.kind, error.detail);
      assert.equal(error.proven, row.closes, error.detail);
      assert.equal(error.retryAfterMs, row.retryAfterMs);
      assert.equal(error.resumable, row.resumable ?? false);
      assert.match(error.message, row.message ?? /^[A-Z].+\.$/);
    });
  }

  it('does not start if its time is already over', async () => {
    await using bench = await harness.open();
    const signal = AbortSignal.abort();
    const error: unknown = await bench.provider
      .generate(request(), run({ signal }))
      .catch((thrown: unknown) => thrown);
    if (error instanceof ProviderError) assert.deepEqual([error.kind, error.sent], ['cancelled', false]);
    else assert.equal(error, signal.reason);
    assert.equal(bench.emulator?.requests.length ?? 0, 0);
  });
}

function itStandsBadUpstreams(harness: Harness, stages: NonNullable<Harness['stages']>): void {
  const cases: [string, Scripted, FailureKind, boolean][] = [
    ['a connection cut after the request', 'reset', 'network', true],
    ['an HTML page from a gateway', html(502), 'unavailable', false],
    ['a gateway whose wait timed out', html(504), 'timeout', true],
    ['an HTML page with status 200', html(200), 'bad_response', true],
    ['broken JSON', brokenJson, 'bad_response', true],
  ];
  for (const [name, reply, kind, sent] of cases) {
    it(`${name}: ${kind}`, async () => {
      await using bench = await harness.open();
      bench.emulator?.answer(stages.make, reply);
      const error = await failureOf(bench.provider.generate(request(), run()));
      assert.equal(error.kind, kind, error.detail);
      assert.equal(error.sent, sent);
      assert.equal(error.resumable, false);
      assert.equal(
        bench.emulator?.of(stages.make).length,
        1,
        'nothing is repeated behind the back of the jobs',
      );
    });
  }

  it('a server that cannot be reached: network, and known not to be sent', async () => {
    await using bench = await harness.open();
    await bench.emulator?.[Symbol.asyncDispose]();
    const error = await failureOf(bench.provider.generate(request(), run()));
    assert.equal(error.kind, 'network');
    assert.equal(error.sent, false);
  });

  it('a server that never answers: timeout at the deadline, or cancelled on request', async () => {
    await using bench = await harness.open();
    bench.emulator?.always(stages.make, 'hang');
    const reasons = { timeout: new DOMException('late', 'TimeoutError'), cancelled: undefined };
    for (const [kind, reason] of Object.entries(reasons)) {
      const stop = new AbortController();
      const arrived = bench.emulator?.arrived(stages.make);
      const stopped = failureOf(bench.provider.generate(request(), run({ signal: stop.signal })));
      await arrived;
      stop.abort(reason);
      assert.deepEqual([(await stopped).kind, (await stopped).sent], [kind, true]);
    }
  });

  const { file } = stages;
  if (file !== undefined) {
    it('an answer that is not an image: bad_response', async () => {
      await using bench = await harness.open();
      bench.emulator?.always(file, { body: 'no image at all' });
      const error = await failureOf(bench.provider.generate(request(), run()));
      assert.equal(error.kind, 'bad_response');
      assert.equal(error.resumable, false);
    });
  }

  it('waits for a slow upstream', async () => {
    await using bench = await harness.open();
    bench.emulator?.answer(stages.make, 'slow');
    assert.ok((await bench.provider.generate(request(), run())).bytes.length > 0);
  });

  it('never repeats a credential that the upstream repeats', async () => {
    await using bench = await harness.open();
    bench.emulator?.always(stages.make, { status: 400, body: { error: `no: ${harness.secret}` } });
    const error = await failureOf(bench.provider.generate(request(), run()));
    if (harness.secret) assert.ok(!`${error.message} ${error.detail}`.includes(harness.secret));
  });

  it('is unhealthy when its upstream is', async () => {
    await using bench = await harness.open();
    bench.emulator?.answer(stages.check, html(503), { status: 401, body: {} }, 'reset');
    const details = ['unavailable', 'auth', 'network'];
    for (const kind of details) {
      const health = await bench.provider.check(AbortSignal.timeout(20_000));
      assert.equal(health.ok, false);
      assert.match(health.detail ?? '', new RegExp(`^${kind}: `));
    }
  });

  it('makes several images at once', async () => {
    await using bench = await harness.open();
    const all = await Promise.all([1, 2, 3, 4].map(() => bench.provider.generate(request(), run())));
    assert.equal(all.filter((made) => made.bytes.length > 0).length, 4);
    assert.equal(bench.emulator?.of(stages.make).length, 4);
  });
}
