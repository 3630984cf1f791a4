import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AppError, type ErrorCode } from '../../../src/errors.ts';
import { createBatch } from '../../../src/jobs/admission/create-batch.ts';
import { createJobs } from '../../../src/jobs/admission/create-job.ts';
import { quoteJob } from '../../../src/jobs/admission/quotes/quote-job.ts';
import type { ModelId, Resolution } from '../../../src/upstream/catalog/models.ts';
import { specifiedIds as modelIds } from '../../../src/upstream/catalog/specified-models.ts';
import { type ModelAccount, type ModelJob, type ModelState, modelOf, priceOf } from '../model.ts';
import { refusalsOf } from '../model-limits.ts';
import type { System } from '../system.ts';
import { accountAt, accountIndex, type Kind, step } from './step.ts';

const sizesOf = (model: ModelId): Resolution[] => (model === 'nb' ? ['1K'] : ['1K', '2K', '4K']);

const image = fc
  .record({
    model: fc.constantFrom(...modelIds),
    size: fc.nat(2),
    prompt: fc.constantFrom('fox', 'owl'),
    inMs: fc.constantFrom(null, null, null, 10_000, 20 * 60_000),
  })
  .map(({ size, ...rest }) => {
    const sizes = sizesOf(rest.model);
    return { ...rest, resolution: sizes[size % sizes.length] ?? '1K' };
  });
type Image = typeof image extends fc.Arbitrary<infer Value> ? Value : never;
const asker = fc.record({ account: accountIndex, by: fc.nat(2) });
const idempotencyKey = fc.constantFrom('k1', 'k2', 'k3');
const count = fc.constantFrom(1, 1, 1, 2, 3);
const ask = fc.record({ asker, image, count, key: fc.constant(null) });
type Ask = Omit<typeof ask extends fc.Arbitrary<infer Value> ? Value : never, 'key'> & { key: string | null };

const images = fc.array(image, { minLength: 1, maxLength: 4 });
const batch = fc.record({ asker, images, key: fc.option(idempotencyKey) });
type Batch = typeof batch extends fc.Arbitrary<infer Value> ? Value : never;

export const asks: Record<string, Kind> = {
  create: { weight: 6, steps: ask.map((one) => create('create', one)) },
  replay: {
    weight: 4,
    steps: fc.tuple(ask, idempotencyKey).map(([one, key]) => create('replay', { ...one, key })),
  },
  rush: { weight: 2, steps: fc.array(ask, { minLength: 2, maxLength: 5 }).map(rush) },
  batch: { weight: 3, steps: batch.map(createAll) },
  quote: { weight: 3, steps: ask.map(quote) },
};

function create(name: string, asked: Ask) {
  return step(name, asked, async (state, system) => {
    const [result] = await Promise.allSettled([send(state, system, asked)]);
    judge(state, asked, result);
  });
}

function rush(asked: Ask[]) {
  return step('rush', asked, async (state, system) => {
    const results = await Promise.allSettled(asked.map((one) => send(state, system, one)));
    for (const [index, one] of asked.entries()) judge(state, one, results[index]);
  });
}

const noOptions = {
  ...{ metadata: null, origin: null, output: null, mask: null, callbackUrl: null, clientToken: null },
  mode: 'text',
  inputUrls: [],
  signal: () => new AbortController().signal,
} as const;

function requestOf(state: ModelState, { asker, image, key }: Omit<Ask, 'count'>, fingerprint: string) {
  const account = accountAt(state, asker.account);
  return {
    ...noOptions,
    accountId: account.id,
    keyId: keyIdOf(account, asker.by),
    requestId: 'a request',
    ...detailsOf(state, image),
    idempotency: key === null ? null : { key, fingerprint },
  } as const;
}

function detailsOf({ nowMs }: ModelState, { model, resolution, prompt, inMs }: Image) {
  const deadlineAt = inMs === null ? null : nowMs + inMs;
  return { model: modelOf(model), resolution, prompt, deadlineAt, aspectRatio: '1:1', parameters: {} };
}

function keyIdOf({ keys }: ModelAccount, by: number): string {
  return keys[by % keys.length]?.id ?? '';
}

function send(state: ModelState, { intake }: System, asked: Ask) {
  const request = requestOf(state, asked, fingerprintOf(asked));
  return createJobs(intake, request, Array(asked.count).fill(request));
}

type Result = PromiseSettledResult<Awaited<ReturnType<typeof send>>>;

function judge(state: ModelState, asked: Ask, result: Result | undefined): void {
  const { asker, image, count, key } = asked;
  const account = accountAt(state, asker.account);
  const known = key === null ? undefined : account.asked.get(key);
  const images = Array<Image>(count).fill(image);
  if (known?.fingerprint === fingerprintOf(asked)) {
    assert.ok(result?.status === 'fulfilled', 'a replay');
    assert.deepEqual(result.value, { jobIds: known.jobIds, replayed: true });
  } else if (isAccepted(state, { asker, images, known: known !== undefined }, result)) {
    assert.ok(result?.status === 'fulfilled');
    const { jobIds, replayed } = result.value;
    assert.deepEqual({ count: jobIds.length, replayed }, { count, replayed: false });
    admit(state, { asker, images }, jobIds);
    if (key !== null) account.asked.set(key, { fingerprint: fingerprintOf(asked), jobIds });
  }
}

function fingerprintOf(asked: unknown): string {
  return JSON.stringify(asked);
}

function isAccepted(
  state: ModelState,
  { asker, images, known }: { asker: Ask['asker']; images: readonly Image[]; known: boolean },
  result: PromiseSettledResult<unknown> | undefined,
): boolean {
  const [expected] = known
    ? [new Set<ErrorCode>(['idempotency_key_reused'])]
    : refusals(state, asker, images);
  if (!expected) {
    assert.equal(result?.status, 'fulfilled', result?.status === 'rejected' ? String(result.reason) : '');
    return true;
  }
  const codes = [...expected].join(' or ');
  assert.ok(result?.status === 'rejected', `accepted, and not refused with ${codes}`);
  const { reason } = result;
  assert.ok(reason instanceof AppError && expected.has(reason.code), `${reason}, and not ${codes}`);
  return false;
}

function refusals(state: ModelState, { account: i, by }: Ask['asker'], images: readonly Image[]) {
  const account = accountAt(state, i);
  const price = images.reduce((sum, one) => sum + priceOf(state, account, one.model, one.resolution), 0n);
  const models = images.map(({ model }) => model);
  return refusalsOf(state, { account, keyId: keyIdOf(account, by), models, price });
}

function admit(
  state: ModelState,
  { asker, images }: { asker: Ask['asker']; images: readonly Image[] },
  jobIds: readonly string[],
): ModelJob[] {
  const account = accountAt(state, asker.account);
  const keyId = keyIdOf(account, asker.by);
  const fresh = { attempt: 0, startedAt: null, lease: null, lost: 0, errorCode: null };
  const jobs = images.map(({ model, resolution, inMs }, index): ModelJob => {
    const price = priceOf(state, account, model, resolution);
    const times = { createdAt: state.nowMs, claimableAt: state.nowMs };
    const deadlineAt = inMs === null ? null : state.nowMs + inMs;
    const id = jobIds[index] ?? '';
    return { id, account, keyId, model, price, status: 'queued', deadlineAt, ...times, ...fresh };
  });
  for (const { price } of jobs) account.reserved += price;
  state.jobs.push(...jobs);
  return jobs;
}

function createAll(drawn: Batch) {
  return step('batch', drawn, async (state, { intake, database }) => {
    const { asker, images, key } = drawn;
    const account = accountAt(state, asker.account);
    const fingerprint = fingerprintOf(drawn);
    const [result] = await Promise.allSettled([
      createBatch(intake, {
        accountId: account.id,
        keyId: keyIdOf(account, asker.by),
        requestId: 'a request',
        name: null,
        requests: images.map((one) => ({ ...noOptions, ...detailsOf(state, one) })),
        callbackUrl: null,
        signal: noOptions.signal,
        idempotency: key === null ? null : { key, fingerprint },
      }),
    ]);
    const known = key === null ? undefined : account.asked.get(key);
    if (known?.fingerprint === fingerprint) {
      const before = state.batches.find(({ jobs }) => jobs[0]?.id === known.jobIds[0]);
      assert.ok(result.status === 'fulfilled' && result.value.replayed, 'a replay');
      assert.equal(result.value.batch.id, before?.id);
    } else if (isAccepted(state, { asker, images, known: known !== undefined }, result)) {
      assert.ok(result.status === 'fulfilled' && !result.value.replayed);
      const { id } = result.value.batch;
      const rows = await database.read
        .selectFrom('jobs')
        .select('id')
        .where('batch_id', '=', id)
        .orderBy('batch_index')
        .execute();
      const jobIds = rows.map((row) => row.id);
      assert.equal(jobIds.length, images.length);
      state.batches.push({ id, account, jobs: admit(state, { asker, images }, jobIds), cancelled: false });
      if (key !== null) account.asked.set(key, { fingerprint, jobIds: jobIds.slice(0, 1) });
    }
  });
}

const noEstimator = {
  of: () => Promise.reject(new Error('nobody asks')),
  ofNew: async () => null,
};

function quote(asked: Ask) {
  return step('quote', asked, async (state, { intake }) => {
    const { image, asker } = asked;
    const { reasons, priceMicros } = await quoteJob(
      { ...intake, waits: noEstimator, findOwnImage: async () => undefined },
      requestOf(state, asked, ''),
    );
    const account = accountAt(state, asker.account);
    assert.equal(priceMicros, priceOf(state, account, image.model, image.resolution));
    const expected = refusals(state, asker, [image]).flatMap((codes) => [...codes]);
    assert.deepEqual([...new Set(reasons.map(({ code }) => code))].toSorted(), expected.toSorted());
  });
}
