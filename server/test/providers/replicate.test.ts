import { createReplicate } from '../../src/upstream/providers/replicate/replicate.ts';
import { replicateReplies, replicateToken, startReplicate } from '../emulators/replicate.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, guard } from './requests.ts';

const { problem, ended } = replicateReplies;
const failed = (error: string) => ({ stage: 'status', reply: ended('failed', error) });

const rows: FailureRow[] = [
  { name: 'submit: 401', reply: problem(401, 'Unauthenticated', 'No token'), kind: 'auth', closes: 'auth' },
  {
    name: 'submit: 402',
    reply: problem(402, 'Insufficient credit', 'Top up.'),
    kind: 'quota',
    closes: 'quota',
  },
  { name: 'submit: 404', reply: problem(404, 'Not found', 'No such model.'), kind: 'model_not_found' },
  {
    name: 'submit: 422',
    reply: problem(422, 'Input validation failed', '- input.aspect_ratio'),
    kind: 'invalid_input',
  },
  {
    name: 'submit: 429',
    reply: problem(429, 'Throttled', 'Expected available in 1 second.', { retry_after: 1 }),
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 1000,
  },
  { name: 'submit: an answer without an id', reply: { status: 201, body: {} }, kind: 'bad_response' },
  {
    name: 'flagged',
    ...failed('The input or output was flagged as sensitive. Please try again with different inputs. (E005)'),
    kind: 'safety_blocked',
  },
  {
    name: 'not safe for work',
    ...failed('NSFW content detected. Try running it again, or try a different prompt.'),
    kind: 'safety_blocked',
  },
  { name: 'nothing made', ...failed('The model did not return an image.'), kind: 'no_image' },
  {
    name: 'a busy vendor',
    ...failed('Service is currently unavailable due to high demand. Please try again later. (E003)'),
    kind: 'unavailable',
  },
  { name: 'too slow', ...failed('Prediction timed out.'), kind: 'timeout' },
  { name: 'a crash of the model', ...failed('KeyError: 0'), kind: 'bad_response' },
  { name: 'cancelled by somebody', stage: 'status', reply: ended('canceled', null), kind: 'cancelled' },
  { name: 'a success without output', stage: 'status', reply: ended('succeeded', null), kind: 'no_image' },
  { name: 'an empty list', stage: 'status', reply: ended('succeeded', null, []), kind: 'no_image' },
];

for (const model of ['google/nano-banana-pro', 'black-forest-labs/flux-2-pro', 'somebody/model:0a1b2c']) {
  conforms({
    name: `replicate with ${model}`,
    async open() {
      const emulator = await startReplicate();
      const settings = { model, baseUrl: `${emulator.url}/v1`, pollMs: 10 };
      return closing({ provider: createReplicate(settings, { token: replicateToken }, guard), emulator });
    },
    rows,
    secret: replicateToken,
    stages: { make: 'submit', look: 'status', file: 'file', check: 'model' },
  });
}
