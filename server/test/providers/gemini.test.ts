import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { geminiKey, geminiReplies, startGemini } from '../emulators/gemini.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, guard } from './requests.ts';

const stages = { make: 'generate', check: 'model' };
const { error, finished, blocked, parts, limited, badKey, steps } = geminiReplies;
const notAnImage = {
  inlineData: { mimeType: 'image/png', data: Buffer.from('not an image').toString('base64') },
};

const blockedFinishes = [
  'SAFETY',
  'IMAGE_SAFETY',
  'PROHIBITED_CONTENT',
  'IMAGE_PROHIBITED_CONTENT',
  'RECITATION',
  'IMAGE_RECITATION',
  'BLOCKLIST',
  'SPII',
];
const emptyFinishes = ['NO_IMAGE', 'IMAGE_OTHER', 'OTHER', 'MAX_TOKENS', 'STOP'];
const blockedPrompts = [
  'SAFETY',
  'OTHER',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'IMAGE_SAFETY',
  'MODEL_ARMOR',
  'JAILBREAK',
];

const rows: FailureRow[] = [
  ...blockedFinishes.map(
    (reason): FailureRow => ({ name: `finish ${reason}`, reply: finished(reason), kind: 'safety_blocked' }),
  ),
  ...emptyFinishes.map(
    (reason): FailureRow => ({
      name: `finish ${reason} without an image`,
      reply: finished(reason),
      kind: 'no_image',
    }),
  ),
  ...blockedPrompts.map(
    (reason): FailureRow => ({
      name: `prompt blocked for ${reason}`,
      reply: blocked(reason),
      kind: 'safety_blocked',
    }),
  ),
  {
    name: 'a spoken refusal',
    reply: parts([{ text: 'I cannot draw that person.' }]),
    kind: 'no_image',
    message: /I cannot draw that person/,
  },
  { name: 'only a thought image', reply: parts([{ ...notAnImage, thought: true }]), kind: 'no_image' },
  { name: 'an answer without candidates', reply: { body: {} }, kind: 'no_image' },
  { name: 'bytes that are no image', reply: parts([notAnImage]), kind: 'bad_response' },
  {
    name: '400',
    reply: error(400, 'INVALID_ARGUMENT', 'Unable to process input image.'),
    kind: 'invalid_input',
  },
  { name: '400 with a bad key', reply: badKey(), kind: 'auth', closes: 'auth' },
  {
    name: '400 where the country is not served',
    reply: error(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: '400 where billing is not set up',
    reply: error(400, 'FAILED_PRECONDITION', 'Please enable billing on your project.'),
    kind: 'quota',
    closes: 'quota',
  },
  {
    name: '401',
    reply: error(401, 'UNAUTHENTICATED', 'Invalid authentication credentials.'),
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: '403',
    reply: error(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: '404',
    reply: error(404, 'NOT_FOUND', 'models/x is not found for API version v1beta'),
    kind: 'model_not_found',
    closes: 'model_not_found',
  },
  {
    name: '429 by the minute, with RetryInfo',
    reply: limited('GenerateRequestsPerMinutePerProjectPerModel', '34.07s'),
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 34_070,
  },
  {
    name: '429 without details',
    reply: error(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'),
    kind: 'rate_limited',
    closes: 'rate_limited',
  },
  {
    name: '429 by the day',
    reply: limited('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '20s'),
    kind: 'quota',
    closes: 'quota',
    retryAfterMs: 20_000,
  },
  {
    name: '429 for money',
    reply: error(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.'),
    kind: 'quota',
    closes: 'rate_limited',
  },
  { name: '500', reply: error(500, 'INTERNAL', 'An internal error has occurred.'), kind: 'unavailable' },
  {
    name: '503',
    reply: error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    kind: 'unavailable',
    closes: 'unavailable',
  },
  {
    name: '503 with Retry-After',
    reply: { ...error(503, 'UNAVAILABLE', 'Overloaded.'), headers: { 'retry-after': '7' } },
    kind: 'unavailable',
    closes: 'unavailable',
    retryAfterMs: 7000,
  },
  {
    name: '504',
    reply: error(504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'),
    kind: 'timeout',
  },
];

const output = (content: readonly unknown[], more = {}) =>
  steps([{ type: 'model_output', content, ...more }]);

const interactionRows: FailureRow[] = [
  {
    name: 'an interaction that failed for safety',
    reply: steps([], { status: 'failed', errors: [{ code: 'image_safety', message: 'It was blocked.' }] }),
    kind: 'safety_blocked',
  },
  {
    name: 'a step that failed for safety',
    reply: output([], { error: { code: 'PROHIBITED_CONTENT', message: 'It was blocked.' } }),
    kind: 'safety_blocked',
  },
  {
    name: 'a spoken refusal',
    reply: output([{ type: 'text', text: 'I cannot draw that person.' }]),
    kind: 'no_image',
    message: /I cannot draw that person/,
  },
  { name: 'an interaction without steps', reply: steps([], { status: 'incomplete' }), kind: 'no_image' },
  {
    name: 'bytes that are no image',
    reply: output([{ type: 'image', data: notAnImage.inlineData.data }]),
    kind: 'bad_response',
  },
  ...rows.filter(({ name }) => /^[45]\d\d/.test(name)),
];

async function open(vertex: boolean, api?: 'interactions') {
  await using stack = new AsyncDisposableStack();
  const emulator = stack.use(await startGemini());
  const credentials = vertex ? { serviceAccount: emulator.serviceAccount } : { apiKey: geminiKey };
  const settings = { model: 'gemini-nano-banana-2.1', baseUrl: emulator.url, ...(api && { api }) };
  const provider = createGemini(settings, credentials, guard);
  stack.move();
  return closing({ provider, emulator });
}

conforms({ name: 'gemini', open: () => open(false), rows, secret: geminiKey, stages });
conforms({ name: 'gemini on Vertex AI', open: () => open(true), rows: rows.slice(0, 3), stages });
it('has no interactions on Vertex AI', async () => {
  await assert.rejects(open(true, 'interactions'), /interactions with an API key alone/);
});

conforms({
  name: 'gemini by interactions',
  open: () => open(false, 'interactions'),
  rows: interactionRows,
  secret: geminiKey,
  stages: { make: 'interact', check: 'model' },
});
