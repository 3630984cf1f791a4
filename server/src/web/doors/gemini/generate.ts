import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { assertMayUse } from '../../../accounts/authenticate.ts';
import { payerOf } from '../../../accounts/key-store.ts';
import { maxImageBodyBytes } from '../../../base/http/bodies/body-budget.ts';
import { clientGone } from '../../../base/http/client-gone.ts';
import { assertJson } from '../../../base/http/json-body.ts';
import { idempotencyKey } from '../../../base/http/request-headers.ts';
import { AppError } from '../../../errors.ts';
import { listPointer } from '../../../images/inputs/input-errors.ts';
import { fingerprintOf } from '../../../jobs/admission/fingerprint.ts';
import { type Model, nearestRatio, type RequestedRatio } from '../../../upstream/catalog/models.ts';
import type { DoorDeps } from '../door-deps.ts';
import { readLargeJson } from '../large-json.ts';
import { type StartedImages, startImages } from '../start-images.ts';
import { type TakenImages, takeImages } from '../take-images.ts';
import { answerOf } from './answer-of.ts';
import { InvalidRequest } from './fields.ts';
import { findNamed } from './model-names.ts';
import { type ImageWish, readRequest } from './read-request.ts';
import { type Form, sendAnswer } from './send-answer.ts';

/** Serves `:generateContent`, and `:streamGenerateContent`, which streams one chunk. */
export function registerGenerate(server: FastifyInstance, deps: DoorDeps): void {
  server.addContentTypeParser('*', (request: FastifyRequest, payload: RequestPayload) =>
    deps.bodies.read(request, payload, { maxBytes: maxImageBodyBytes, reader: readLargeJson }),
  );
  server.post('/models/:call', {
    onRequest(request, _reply, done) {
      const { name } = readCall(request);
      assertMayUse(request.apiKey, findNamed(deps, name).id);
      assertJson(request);
      done();
    },
    async handler(request, reply) {
      const { name, form } = readCall(request);
      const model = findNamed(deps, name);
      const read = async () => ({ model, wish: readRequest(request.body, model) });
      return sendAnswer(deps, reply, await startWish(deps, request, reply, read), { form, answerOf });
    },
  });
}

function readCall({ params, query }: FastifyRequest): { name: string; form: Form } {
  const { call } = params as { call: string }; // as the path has it
  const { alt } = query as { alt?: string }; // not checked by a schema, but only compared
  const [, name = '', method] = /^(.*):([^:]*)$/.exec(call) ?? [];
  if (method === 'generateContent' && (alt ?? 'json') === 'json') return { name, form: 'one' };
  if (method === 'streamGenerateContent' && alt === 'sse') return { name, form: 'events' };
  if (method === 'streamGenerateContent' && (alt ?? 'json') === 'json') return { name, form: 'list' };
  if (method === 'generateContent' || method === 'streamGenerateContent')
    throw new InvalidRequest([{ field: 'alt', description: 'must be json, or sse for a stream.' }]);
  throw new AppError(
    'not_found',
    `Models here support generateContent and streamGenerateContent, but not ${(method ?? call).slice(0, 100)}.`,
  );
}

/** Creates the job. Then releases the body, because the job has copies of the images. */
export async function startWish(
  deps: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<{ model: Model; wish: ImageWish }>,
): Promise<StartedImages> {
  const signal = () => clientGone(reply);
  try {
    const { model, wish } = await read();
    const idempotency = idempotencyKey(request);
    try {
      await using taken = await takeImages(deps, {
        payer: payerOf(request.apiKey),
        images: wish.inputs,
        signal,
      });
      return await startImages(deps, {
        reply,
        ignored: wish.ignored,
        model,
        prompt: wish.prompt,
        ratio: ratioOf(model, wish, taken),
        resolution: wish.resolution,
        parameters: wish.parameters,
        metadata: wish.metadata,
        output: wish.output,
        inputs: taken.urls,
        count: 1,
        fingerprint: fingerprint(model, wish, taken),
        idempotencyKey: idempotency,
        signal,
      });
    } catch (error) {
      throw inTheirWords(error, wish);
    }
  } finally {
    request.body = undefined;
    deps.bodies.release(request);
  }
}

function ratioOf(model: Model, { aspectRatio }: ImageWish, { first }: TakenImages): RequestedRatio {
  if (aspectRatio !== undefined) return aspectRatio;
  if (model.auto) return 'auto';
  return nearestRatio(model, first ?? { width: 1, height: 1 });
}

function fingerprint(
  model: Model,
  { inputs: _inputs, ignored: _ignored, output, ...wish }: ImageWish,
  { hashes }: TakenImages,
): string {
  return fingerprintOf('POST', `gemini ${model.id}`, { ...wish, ...(output && { output }), inputs: hashes });
}

/** Replaces the places in errors with the places in the client's request. */
function inTheirWords(error: unknown, { inputs }: ImageWish): unknown {
  if (!(error instanceof AppError) || !error.details.errors) return error;
  const errors = error.details.errors.map(({ pointer, ...rest }) => {
    const input = pointer.startsWith(`${listPointer}/`)
      ? inputs[Number(pointer.slice(listPointer.length + 1))]
      : undefined;
    return { ...rest, pointer: input?.field ?? (pointer === '/prompt' ? 'contents' : pointer) };
  });
  return new AppError(error.code, error.message, { ...error.details, errors }, { cause: error.cause });
}
