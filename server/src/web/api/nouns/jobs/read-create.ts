import { type AppError, invalidField } from '../../../../errors.ts';
import { outputMistake, readOutput } from '../../../../images/output.ts';
import { cleanText } from '../../../../jobs/admission/clean-text.ts';
import type { CreateRequest } from '../../../../jobs/admission/create-request.ts';
import { deadlineMistake, deadlineOf } from '../../../../jobs/admission/deadline.ts';
import { cleanMetadata } from '../../../../jobs/admission/metadata.ts';
import { readOrigin } from '../../../../jobs/admission/origin.ts';
import { defaultResolution, type Mode, type Model } from '../../../../upstream/catalog/models.ts';
import { withDefaults } from '../../../../upstream/catalog/parameters.ts';
import { type CreateBody, createBodySchema } from './job-schemas.ts';

/** Reads a body, which must have passed its schema and `bodyMistakes`. */
export function readCreate(
  body: CreateBody,
  model: Model,
  nowMs: number,
): Omit<
  CreateRequest,
  'accountId' | 'keyId' | 'clientToken' | 'requestId' | 'mode' | 'idempotency' | 'signal'
> {
  const deadlineAt = deadlineOf(body, nowMs);
  return {
    model,
    prompt: body.prompt,
    aspectRatio: body.aspect_ratio,
    resolution: body.resolution ?? defaultResolution(model),
    parameters: withDefaults(model, body.parameters),
    metadata: cleanMetadata(body.metadata),
    deadlineAt,
    isLate: deadlineAt !== null && deadlineAt <= nowMs,
    origin: readOrigin(body.origin),
    output: readOutput(body),
    mask: body.mask_url === undefined ? null : { url: body.mask_url, changed: 'white' },
    // The URL stays as it is, because the delivery checks the same text again, and an encoded URL can be many times as
    // long.
    callbackUrl: body.callback_url ?? null,
    inputUrls: body.input_images_urls ?? [],
  };
}

type BodySchemas = Record<Mode, ReturnType<typeof createBodySchema>>;
const bodySchemas = new WeakMap<Model, BodySchemas>();

/** Builds a body schema once per version of a model, because each schema object is compiled. */
export function bodySchemaOf(model: Model, mode: Mode): BodySchemas[Mode] {
  const known = bodySchemas.get(model);
  if (known) return known[mode];
  const made = { text: createBodySchema(model, 'text'), url: createBodySchema(model, 'url') };
  bodySchemas.set(model, made);
  return made[mode];
}

/** Finds mistakes that no schema can express: wrong times, and fields that exclude each other. */
export function bodyMistakes(body: unknown, when: { nowMs: number; mayRepeat: boolean }): AppError[] {
  const late = deadlineMistake(Object(body), when); // may run before the body is validated
  const output = outputMistake(Object(body));
  return [
    ...(late === undefined ? [] : [invalidField('/deadline', late)]),
    ...(output ? [invalidField(`/${output.field}`, output.detail)] : []),
  ];
}

/** Cleans the prompt for every database: replaces lone surrogates with U+FFFD, and removes NUL bytes. */
export function mendPrompt(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('prompt' in body) || typeof body.prompt !== 'string')
    return;
  if (body.prompt.includes('\0') || !body.prompt.isWellFormed()) body.prompt = cleanText(body.prompt);
}
