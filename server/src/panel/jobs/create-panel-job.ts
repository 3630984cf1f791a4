import { assertAccountEnabled } from '../../accounts/disable-account.ts';
import { assertFits } from '../../admission/assert-fits.ts';
import { cleanText } from '../../admission/clean-text.ts';
import { createJobs } from '../../admission/create-job.ts';
import type { CreateRequest, Variant } from '../../admission/create-request.ts';
import { fingerprintOf } from '../../admission/fingerprint.ts';
import { cleanMetadata } from '../../admission/metadata.ts';
import { findInputOrigin, readOrigin } from '../../admission/origin.ts';
import {
  type InputSource,
  resultAsInput,
  takeStoredInputs,
} from '../../admission/repeat/take-stored-inputs.ts';
import { defaultResolution, type Model } from '../../catalog/models.ts';
import { withDefaults } from '../../catalog/parameters.ts';
import { invalidField } from '../../errors.ts';
import { getJob } from '../../jobs/get-job.ts';
import type { Job } from '../../jobs/job.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { PlaygroundInput, PlaygroundRequest } from './contract.ts';

export interface From {
  accountId: string;
  idempotencyKey: string | null;
  signal: AbortSignal;
  requestId: string;
}

interface Made {
  job_id: string;
  job_ids: string[];
  replayed: boolean;
}

/**
 * Like a create of the public API, with the same checks and charges, but without a key. @throws as
 * `createJob`
 */
export async function createPanelJob(deps: PanelDeps, from: From, body: PlaygroundRequest): Promise<Made> {
  await assertAccountEnabled(deps.database.read, from.accountId);
  const variants = [body, ...(body.more ?? [])].map((one) => {
    const model = findModel(deps, one.model);
    const { resolution: asked, parameters = {} } = one;
    const inputs = body.inputs?.length ?? 0;
    assertFits(model, { aspectRatio: body.aspect_ratio, resolution: asked, inputs, parameters });
    const resolution = one.resolution ?? defaultResolution(model);
    return { model, resolution, parameters: withDefaults(model, one.parameters) };
  });
  assertCallable(deps, body.callback_url ?? null);
  const prompt = cleanText(body.prompt);
  if (prompt === '') throw invalidField('/prompt', 'must not be empty.');
  const sources = await Promise.all(
    (body.inputs ?? []).map((input) => findSource(deps, from.accountId, input)),
  );
  const request = {
    prompt,
    aspectRatio: body.aspect_ratio,
    metadata: cleanMetadata(body.metadata),
    origin: readOrigin(body.origin) ?? (await inputOrigin(deps, from.accountId, body.inputs ?? [])),
    callbackUrl: body.callback_url ?? null,
  };
  return make(deps, from, request, variants, sources, { ...body });
}

async function make(
  deps: PanelDeps,
  { accountId, idempotencyKey, signal, requestId }: From,
  request: Pick<CreateRequest, 'prompt' | 'aspectRatio' | 'metadata' | 'origin' | 'callbackUrl'>,
  variants: readonly Variant[],
  sources: readonly InputSource[],
  asked: Record<string, unknown>,
): Promise<Made> {
  const { jobIds, replayed } = await createJobs(
    { ...deps, takeInputs: takeStoredInputs(deps, sources) },
    {
      ...request,
      accountId,
      clientToken: null,
      deadlineAt: null,
      keyId: accountId, // marks it as a panel job, see `isPanelKey`
      requestId,
      mode: sources.length > 0 ? 'url' : 'text',
      inputUrls: [],
      idempotency:
        idempotencyKey === null
          ? null
          : { key: idempotencyKey, fingerprint: fingerprintOf('POST', 'panel', asked) },
      signal: () => signal,
    },
    variants,
  );
  return { job_id: jobIds[0] ?? '', job_ids: [...jobIds], replayed };
}

function findModel({ catalogue }: PanelDeps, id: string): Model {
  const model = catalogue.find(id);
  if (model) return model;
  throw invalidField(
    '/model',
    `must be one of ${catalogue
      .list()
      .map((one) => one.id)
      .join(', ')}.`,
  );
}

/** @throws AppError `invalid_request` */
function assertCallable({ checkTarget }: PanelDeps, callbackUrl: string | null): void {
  if (callbackUrl === null) return;
  const verdict = checkTarget(callbackUrl);
  if (!verdict.ok) throw invalidField('/callback_url', `cannot be used. ${verdict.detail}`);
}

/** The first input that is the picture of a job of the account. */
async function inputOrigin(
  deps: PanelDeps,
  accountId: string,
  inputs: NonNullable<PlaygroundRequest['inputs']>,
): Promise<Job['origin']> {
  for (const input of inputs) {
    if ('job_id' in input) return { jobId: input.job_id.toLowerCase(), kind: 'input' };
    const origin = await findInputOrigin(deps, accountId, [input.url]);
    if (origin) return origin;
  }
  return null;
}

async function findSource(deps: PanelDeps, accountId: string, input: PlaygroundInput): Promise<InputSource> {
  if ('url' in input) return input;
  const job: Job = await getJob(deps, { accountId, jobId: input.job_id });
  const stored = input.input === undefined ? resultAsInput(job) : job.inputs[input.input];
  if (!stored) throw invalidField('/inputs', `must name images that there are; ${job.id} has no such one.`);
  return { stored };
}
