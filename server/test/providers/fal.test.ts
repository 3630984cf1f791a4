import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFal } from '../../src/upstream/providers/fal/fal.ts';
import { falKey, falReplies, startFal } from '../emulators/fal.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, guard, inputs, request, run } from './requests.ts';

const { model, platform } = falReplies;

const rows: FailureRow[] = [
  { name: 'submit: 401', reply: platform(401, 'Cannot access application.'), kind: 'auth', closes: 'auth' },
  {
    name: 'submit: 403 without credit',
    reply: platform(403, 'User is locked. Reason: Exhausted balance. Top up your balance.'),
    kind: 'quota',
    closes: 'quota',
  },
  ...['status', 'result'].map((stage) => ({
    name: `${stage}: 403 without credit`,
    stage,
    reply: platform(403, 'User is locked. Reason: Exhausted balance. Top up your balance.'),
    kind: 'quota' as const,
    closes: 'quota' as const,
    resumable: true,
  })),
  { name: 'submit: 404', reply: platform(404, 'Application "x" not found'), kind: 'model_not_found' },
  { name: 'submit: 422', reply: model(422, 'missing', 'Field required'), kind: 'invalid_input' },
  {
    name: 'submit: 429',
    reply: { ...platform(429, 'Too many requests'), headers: { 'retry-after': '3' } },
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 3000,
  },
  { name: 'submit: an answer without an id', reply: { body: { status: 'IN_QUEUE' } }, kind: 'bad_response' },
  {
    name: 'content policy',
    stage: 'result',
    reply: model(422, 'content_policy_violation', 'Flagged.'),
    kind: 'safety_blocked',
  },
  {
    name: 'an input that is too large',
    stage: 'result',
    reply: model(422, 'image_too_large', 'Too large.'),
    kind: 'invalid_input',
  },
  {
    name: 'nothing made',
    stage: 'result',
    reply: model(422, 'no_media_generated', 'No media.'),
    kind: 'no_image',
  },
  {
    name: 'the model took too long',
    stage: 'result',
    reply: model(504, 'generation_timeout', 'Timed out.'),
    kind: 'timeout',
  },
  {
    name: 'the vendor behind is down',
    stage: 'result',
    reply: model(502, 'downstream_service_unavailable', 'Down.'),
    kind: 'unavailable',
  },
  {
    name: 'the runner went away',
    stage: 'result',
    reply: platform(503, 'Runner disconnected', 'runner_disconnected'),
    kind: 'unavailable',
  },
  {
    name: 'a failure said to be final',
    stage: 'result',
    reply: model(500, 'strange_error', 'No.', { 'x-fal-retryable': 'false' }),
    kind: 'bad_response',
  },
  {
    name: 'a black image marked as unsafe',
    stage: 'result',
    reply: { body: { images: [{ url: 'http://127.0.0.1:1/x' }], has_nsfw_concepts: [true] } },
    kind: 'safety_blocked',
  },
  {
    name: 'a result without images',
    stage: 'result',
    reply: { body: { images: [], description: 'I would rather not.' } },
    kind: 'no_image',
    message: /rather not/,
  },
  {
    name: 'a result that is no link',
    stage: 'result',
    reply: { body: { images: [{ url: 'file:///etc/passwd' }] } },
    kind: 'no_image',
  },
];

const settingsOfFlux = {
  model: 'fal-ai/flux/dev',
  editModel: 'fal-ai/flux-kontext/dev',
  sizeBy: 'image_size',
  pollMs: 10,
} as const;
const settings = [{ model: 'fal-ai/nano-banana-2', pollMs: 10 }, settingsOfFlux];

for (const each of settings) {
  conforms({
    name: `fal with ${each.model}`,
    async open() {
      const emulator = await startFal();
      return closing({
        provider: createFal({ ...each, baseUrl: emulator.url }, { key: falKey }, guard),
        emulator,
      });
    },
    rows,
    secret: falKey,
    stages: { make: 'submit', look: 'status', file: 'file', check: 'status' },
  });
}

it('fal reads a request under the app that accepted it, without the rest of the model’s name', async () => {
  await using emulator = await startFal();
  const settings = { ...settingsOfFlux, baseUrl: emulator.url };
  await using ours = closing({ provider: createFal(settings, { key: falKey }, guard) });
  const wanted = request({ width: 1376, height: 768, inputs: await inputs(1) });
  const told: string[] = [];
  const onSubmitted = async (remoteId: string) => void told.push(remoteId);
  await ours.provider.generate(wanted, run({ onSubmitted }));
  const [id] = emulator.accepted;
  assert.equal(emulator.of('submit')[0]?.path, '/fal-ai/flux-kontext/dev');
  assert.equal(emulator.of('result')[0]?.path, `/fal-ai/flux-kontext/requests/${id}`);
  assert.deepEqual(told, [`fal-ai/flux-kontext/requests/${id}`]);
  assert.deepEqual(Object(emulator.of('submit')[0]?.json()).image_size, { width: 1376, height: 768 });
});
