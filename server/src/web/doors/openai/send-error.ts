import type { FastifyReply } from 'fastify';
import { type DoorError, toDoorError } from '../door-errors.ts';
import { sayInStatusLine } from '../say-in-status-line.ts';

export interface OpenAiError {
  message: string;
  type: string;
  param: string | null;
  code: string | null;
}

/** OpenAI's codes for errors that its clients know. */
const codes: Partial<Record<DoorError['code'], string>> = {
  key_missing: 'invalid_api_key',
  key_invalid: 'invalid_api_key',
  insufficient_funds: 'insufficient_quota',
  too_many_requests: 'rate_limit_exceeded',
  safety_blocked: 'moderation_blocked',
  prompt_refused: 'moderation_blocked',
  policy_refused: 'moderation_blocked',
};

const retryHeader = 'x-should-retry';
/** OpenAI's API has no 422 and answers mistakes in requests with 400. */
const badRequest = 400;
const unprocessable = 422;
const paymentRequired = 402;

export function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const found = toDoorError(error);
  const { status, body } = answerOf(found);
  // Null for a spend limit: it resets only after an hour or a day, and OpenAI's clients do not wait that long.
  const retryAfterSeconds = status === paymentRequired ? null : found.retryAfterSeconds;
  if (retryAfterSeconds === null) forbidRetry(reply);
  else reply.header(retryHeader, 'true').header('retry-after', retryAfterSeconds);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  sayInStatusLine(reply, body.error.message);
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

/** Keeps OpenAI's clients from retrying, as they would after 408, 409, 429 and 5xx. */
function forbidRetry(reply: FastifyReply): void {
  reply.header(retryHeader, 'false');
}

/** Returns the answer to one request of a batch, for the batch's error file. */
export function errorAnswer(error: unknown) {
  return answerOf(toDoorError(error));
}

function answerOf(error: DoorError): { status: number; body: { error: OpenAiError } } {
  return { status: statusOf(error), body: { error: describe(error) } };
}

export function describeError(error: unknown): OpenAiError {
  return describe(toDoorError(error));
}

function describe(error: DoorError): OpenAiError {
  const { message, pointer, code } = error;
  const isModel = code === 'not_found' && pointer === '/model';
  const param = pointer ? paramOf(pointer) : null;
  return {
    // Replaces our pointer at the start of a message with the field name that this API's clients know.
    message: pointer && param ? message.replace(pointer, param) : message,
    type: typeOf(error),
    param,
    code: isModel ? 'model_not_found' : (codes[code] ?? code),
  };
}

function statusOf({ status }: DoorError): number {
  return status === unprocessable ? badRequest : status;
}

function typeOf(error: DoorError): string {
  const status = statusOf(error);
  if (codes[error.code] === 'moderation_blocked') return 'image_generation_user_error';
  if (error.code === 'insufficient_funds') return 'insufficient_quota';
  if (status === 429) return 'rate_limit_exceeded';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

function paramOf(pointer: string): string {
  const [field = '', index] = pointer.slice(1).split('/');
  switch (field) {
    case 'headers':
    case 'query':
      return index ?? field;
    case 'inputs':
      return 'image';
    case 'mask_url':
      return 'mask';
    case 'image':
      return index === undefined ? field : `image[${index}]`;
    case 'images':
    case 'input_images_urls':
      return index === undefined ? 'images' : `images[${index}]`;
    case 'requests':
      return index === undefined ? 'input_file_id' : `line ${Number(index) + 1}`;
    case 'parameters':
      return index ?? field;
    case 'aspect_ratio':
    case 'resolution':
      return 'size';
    default:
      return field;
  }
}
