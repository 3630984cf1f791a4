import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { assertMayUse } from '../../../../accounts/authenticate.ts';
import { assertSmall, maxValues } from '../../../../base/http/json-body.ts';
import { validationError } from '../../../../base/http/validation-errors.ts';
import { groupDigits } from '../../../../base/std/group-digits.ts';
import { breathe, mapInTurns } from '../../../../base/std/lateness/turns.ts';
import { AppError, invalidField } from '../../../../errors.ts';
import { listPointer, maskPointer } from '../../../../images/inputs/input-errors.ts';
import type { BatchedRequest } from '../../../../jobs/admission/create-batch.ts';
import { fingerprintOf } from '../../../../jobs/admission/fingerprint.ts';
import { judgeUrls } from '../../../../jobs/admission/judge-urls.ts';
import { foreignOrigin, isForeignOrigin } from '../../../../jobs/admission/origin.ts';
import { maxImages } from '../../../../jobs/admission/take-batch-inputs.ts';
import type { Model } from '../../../../upstream/catalog/models.ts';
import type { ApiRequest } from '../../api-call.ts';
import { mayRepeat } from '../jobs/create-calls.ts';
import type { JobCallDeps } from '../jobs/job-calls.ts';
import type { CreateBody } from '../jobs/job-schemas.ts';
import { bodyMistakes, bodySchemaOf, mendPrompt, readCreate } from '../jobs/read-create.ts';
import { batchedRequestSchema } from './batch-schemas.ts';
import { tooLargeRequest, unreadableLine } from './requests-body.ts';

type GivenRequest = Static<typeof batchedRequestSchema>;
type Mistake = NonNullable<AppError['details']['errors']>[number];

export interface ReadRequests {
  requests: BatchedRequest[];
  /** The bodies of the requests, in the same order. */
  bodies: CreateBody[];
}

export type ReadDeps = Pick<
  JobCallDeps,
  'catalogue' | 'clock' | 'checkTarget' | 'checkInput' | 'readJob' | 'isOwnLink'
>;

// The number of mistakes after which the rest of a file is not checked. Further mistakes are usually the same one,
// repeated.
const maxMistakes = 1_000;

/** Reports each mistake with the position of its request. @throws AppError `invalid_request`, `model_forbidden` */
export async function readRequests(
  deps: ReadDeps,
  request: Pick<ApiRequest, 'apiKey'> & Pick<FastifyRequest, 'compileValidationSchema' | 'headers' | 'query'>,
  given: readonly unknown[],
): Promise<ReadRequests> {
  const when = { nowMs: deps.clock.nowMs(), mayRepeat: mayRepeat(request) };
  const read: ReadRequests = { requests: [], bodies: [] };
  const mistakes: Mistake[] = [];
  for (const [index, one] of given.entries()) {
    await breathe();
    const found = await readOne(deps, request, one, { when, read });
    mistakes.push(
      ...found.map((mistake) => ({ ...mistake, pointer: `/requests/${index}${mistake.pointer}` })),
    );
    if (mistakes.length >= maxMistakes) break;
  }
  const [first] = mistakes;
  if (!first) return assertFewImages(read);
  const detail =
    mistakes.length === 1 ? `${first.pointer} ${first.detail}` : `${countMistakes(mistakes.length)}.`;
  throw new AppError('invalid_request', `${detail} Nothing was accepted.`, {
    errors: mistakes.slice(0, maxMistakes),
  });
}

/** The fingerprint of each request under these versions of the models. */
export function fingerprintsOf(
  { requests, bodies }: ReadRequests,
  versionOf: (model: Model) => Model,
): Promise<string[]> {
  return mapInTurns(requests, ({ model, mode }, index) =>
    fingerprintOf('POST', `${model.id} ${mode}`, bodies[index] ?? {}, versionOf(model)),
  );
}

function countMistakes(count: number): string {
  if (count < maxMistakes) return `${count} parts of the requests are not valid; "errors" names each`;
  const most = groupDigits(maxMistakes);
  return `${most} and more parts of the requests are not valid; "errors" names the first ${most}`;
}

function assertFewImages(read: ReadRequests): ReadRequests {
  if (
    read.requests.reduce((sum, { inputUrls, mask }) => sum + inputUrls.length + (mask ? 1 : 0), 0) <=
    maxImages
  )
    return read;
  throw invalidField('/requests', `must have at most ${groupDigits(maxImages)} input images together.`);
}

async function readOne(
  deps: ReadDeps,
  request: Parameters<typeof readRequests>[1],
  one: unknown,
  { when, read }: { when: Parameters<typeof bodyMistakes>[1]; read: ReadRequests },
): Promise<Mistake[]> {
  if (one === unreadableLine) return [{ pointer: '', detail: 'is not a line of valid JSON, or too large.' }];
  if (one === tooLargeRequest)
    return [{ pointer: '/body', detail: 'is larger than the body of a request may be.' }];
  const isRequest = request.compileValidationSchema(batchedRequestSchema, 'body');
  if (!isRequest(one)) return validationError(isRequest.errors ?? [], 'body').details.errors ?? [];
  const { model: id, mode, body: given } = one as GivenRequest; // it was just validated
  const model = deps.catalogue.find(id);
  if (!model) {
    const known = deps.catalogue.list().map((one) => one.id);
    return [{ pointer: '/model', detail: `must be one of ${known.join(', ')}.` }];
  }
  assertMayUse(request.apiKey, id);
  if (!model.modes.includes(mode))
    return [{ pointer: '/mode', detail: `is not a parameter of ${model.id}.` }];
  try {
    assertSmall(given, maxValues);
    mendPrompt(given);
    const validate = request.compileValidationSchema(bodySchemaOf(model, mode), 'body');
    const errors = [
      ...(validate(given) ? [] : [validationError(validate.errors ?? [], 'body')]),
      ...bodyMistakes(given, when),
      ...judgeUrls(given, deps),
    ];
    if (errors.length > 0) return errors.flatMap(mistakesIn);
    const body = given as CreateBody; // it was just validated
    const asked = { mode, ...readCreate(body, model, when.nowMs) };
    const foreign = asked.inputUrls.findIndex((url) => !deps.isOwnLink(url));
    if (foreign >= 0) return [{ pointer: `/body${listPointer}/${foreign}`, detail: notHere }];
    if (asked.mask && !deps.isOwnLink(asked.mask.url))
      return [{ pointer: `/body${maskPointer}`, detail: notHere }];
    const hasForeignOrigin = await isForeignOrigin(deps, request.apiKey.accountId, asked.origin);
    if (hasForeignOrigin && !when.mayRepeat) return mistakesIn(foreignOrigin());
    read.requests.push({ ...asked, hasForeignOrigin });
    read.bodies.push(body);
    return [];
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return mistakesIn(error);
    throw error;
  }
}

const notHere =
  'is on another server, which would take too long for a batch. Upload the image first (POST /uploads), or use the link of a result.';

function mistakesIn({ message, details }: AppError): Mistake[] {
  const errors = details.errors ?? [{ pointer: '', detail: message }];
  return errors.map((one) => ({ ...one, pointer: `/body${one.pointer}` }));
}
