import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { GoogleGenAI } from '@google/genai';
import { failure } from '../../src/upstream/providers/failure.ts';
import { eventually } from '../http/support/requests.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';

// Google's own client, unchanged except for address and key.
let world: World;
let google: GoogleGenAI;
before(async () => {
  world = await openWorld();
  google = clientOf(world.key);
});
after(() => world[Symbol.asyncDispose]());

const model = 'gemini-3-pro-image';
const data = plainPng(64, 48).toString('base64');

test('ai.interactions.create makes an image, and the next one changes it', async () => {
  const first = await google.interactions.create({
    model,
    input: 'a fox',
    system_instruction: 'in oil',
    response_format: { type: 'image', aspect_ratio: '16:9', image_size: '2K' },
    labels: { team: 'design' },
  });
  assert.deepEqual(
    [first.status, first.model, sizeOf(first.output_image?.data)],
    ['completed', 'pro', [2752, 1536]],
  );
  const { body: job } = await world.send('GET', `/jobs/${first.id}`);
  assert.deepEqual([job.prompt, job.metadata, job.price], ['in oil\n\na fox', { team: 'design' }, '0.10']);

  const second = await google.interactions.create({
    model,
    input: 'at night',
    previous_interaction_id: first.id,
  });
  const { request } = lastRequest();
  assert.deepEqual([request.prompt, request.inputs.map(({ width }) => width)], ['at night', [2752]]);
  assert.notEqual(second.id, first.id);
  const again = await google.interactions.get(first.id);
  assert.deepEqual([again.status, again.output_image?.data], ['completed', first.output_image?.data]);
});

test('a list of contents, or of steps, is read as a conversation', async () => {
  const image = { type: 'image', data, mime_type: 'image/png' } as const;
  await google.interactions.create({ model: 'nb', input: [{ type: 'text', text: 'at night' }, image] });
  assert.deepEqual([lastRequest().request.prompt, lastRequest().request.inputs.length], ['at night', 1]);
  await google.interactions.create({
    model: 'nb',
    input: [
      { type: 'user_input', content: [{ type: 'text', text: 'a fox' }, image, image] },
      { type: 'model_output', content: [image] },
      { type: 'user_input', content: [{ type: 'text', text: 'in snow' }] },
    ],
  });
  assert.deepEqual([lastRequest().request.prompt, lastRequest().request.inputs.length], ['in snow', 1]);
});

test('an interaction in the background is read until it has ended, and can be cancelled', async () => {
  world.provider.handler = async (_asked, { signal }) => {
    await once(signal, 'abort');
    throw signal.reason;
  };
  const begun = await google.interactions.create({ model, input: 'a fox', background: true });
  assert.deepEqual([begun.status, begun.steps], ['in_progress', []]);
  assert.equal((await google.interactions.get(begun.id)).status, 'in_progress');
  assert.equal((await google.interactions.cancel(begun.id)).status, 'cancelled');
  await assert.rejects(google.interactions.cancel(begun.id), { status: 409 });
  assert.equal((await world.balance()).reserved, '0.00');
});

test('a failed interaction says why, and costs nothing', async () => {
  const { balance } = await world.balance();
  world.provider.handler = () => Promise.reject(failure('safety_blocked'));
  const failed = await google.interactions.create({ model, input: 'a fox' });
  assert.deepEqual([failed.status, failed.errors?.[0]?.code, failed.steps], ['failed', 'safety_blocked', []]);
  assert.equal((await world.balance()).balance, balance);
  await assert.rejects(
    google.interactions.create({ model, input: 'a', previous_interaction_id: failed.id }),
    {
      status: 400,
    },
  );
});

/**
 * Leaves a request, and waits until that is recorded: until then, an equal request counts as a new one. Returns its
 * job's id.
 */
async function leave(asked: Promise<unknown>, cut: AbortController): Promise<string> {
  const left = async () => {
    const requests = world.app.database.read.selectFrom('unanswered_requests').select(['job_id', 'waiter']);
    return (await requests.execute()).flatMap(({ job_id, waiter }) => (waiter === null ? [job_id] : []));
  };
  const before = await left();
  cut.abort();
  await assert.rejects(asked);
  const now = await eventually(left, (ids) => ids.some((id) => !before.includes(id)));
  return now.find((id) => !before.includes(id)) ?? '';
}

test('a cut interaction is adopted across a full hour, at which the previous one’s links change', async () => {
  world.provider.handler = async (asked) => world.provider.answer(asked);
  const { id: previous } = await google.interactions.create({ model: 'nb2', input: 'a fox' });
  const hour = 3_600_000;
  await world.elapse(hour - (world.clock.nowMs() % hour) - 60_000);
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (asked) => {
    await go.promise;
    return world.provider.answer(asked);
  };
  const cut = new AbortController();
  const made = world.provider.requests.length;
  const asked = { model: 'nb2', input: 'at night', previous_interaction_id: previous };
  const first = post(asked, cut.signal);
  while (world.provider.requests.length === made) await new Promise((resolve) => setImmediate(resolve));
  const jobId = await leave(first, cut);
  go.resolve();
  await world.finished(jobId); // before the clock ends its lease
  await world.elapse(120_000);
  assert.equal((await google.interactions.create(asked)).status, 'completed');
  assert.equal(world.provider.requests.length, made + 1);
});

for (const [field, more] of [
  ['store', { store: false }],
  ['tools', { tools: [{ type: 'google_search' }] }],
  ['agent', { agent: 'deep-research' }],
  ['response_format.type', { response_format: { type: 'text' } }],
  ['response_format.mime_type', { response_format: { type: 'image', mime_type: 'image/gif' } }],
  ['response_format.aspect_ratio', { response_format: { type: 'image', aspect_ratio: '5:7' } }],
  ['response_format', { response_format: 'image' }],
  ['response_format[0]', { response_format: [[]] }],
  ['response_modalities[0]', { response_modalities: ['text'] }],
  ['response_modalities[0]', { response_modalities: ['audio'] }],
  ['generation_config.thinking_level', { generation_config: { thinking_level: 'high' } }],
  ['input', { input: [] }],
  ['input', { input: 5 }],
  ['input[0].type', { input: [{ type: 'audio', data }] }],
  [
    'input[0]',
    {
      input: [
        { type: 'image', uri: 'gs://a/b' },
        { type: 'text', text: 'a' },
      ],
    },
  ],
  ['model', { model: null }],
] as const)
  test(`${field} that cannot be honoured is refused in Google's form`, async () => {
    const answer = await post({ model, input: 'a fox', ...more });
    const { error } = JSON.parse(await answer.text());
    assert.deepEqual([answer.status, error.status], [400, 'INVALID_ARGUMENT']);
    const { fieldViolations } = error.details.find((one: object) => 'fieldViolations' in one);
    assert.deepEqual(
      fieldViolations.map((one: { field: string }) => one.field),
      [field],
    );
  });

test('a cut interaction is adopted, and other interactions are not found', async () => {
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (asked) => {
    await go.promise;
    return world.provider.answer(asked);
  };
  const cut = new AbortController();
  const made = world.provider.requests.length;
  const first = post({ model: 'nb2', input: 'a cut fox' }, cut.signal);
  while (world.provider.requests.length === made) await new Promise((resolve) => setImmediate(resolve));
  await leave(first, cut);
  const repeated = google.interactions.create({ model: 'nb2', input: 'a cut fox' });
  go.resolve();
  const { id } = await repeated;
  assert.equal(world.provider.requests.length, made + 1);
  const stranger = clientOf((await world.account('stranger')).key);
  await assert.rejects(stranger.interactions.get(id), { status: 404 });
  await assert.rejects(stranger.interactions.cancel(id), { status: 404 });
  await assert.rejects(stranger.interactions.create({ model, input: 'a', previous_interaction_id: id }), {
    status: 404,
  });
  await assert.rejects(google.interactions.get('none'), { status: 404 });
  await assert.rejects(stranger.interactions.delete(id), { status: 404 });
});

test('a stream says that it began, sends the image as a step, and says how it ended', async () => {
  const go = Promise.withResolvers<void>();
  world.provider.handler = async (asked) => {
    await go.promise;
    return world.provider.answer(asked);
  };
  const heard: string[] = [];
  let data: string | undefined;
  for await (const event of await google.interactions.create({
    model: 'nb2',
    input: 'a fox',
    stream: true,
  })) {
    go.resolve(); // the first event arrives before the image
    heard.push('interaction' in event ? `${event.event_type} ${event.interaction.status}` : event.event_type);
    if (event.event_type === 'step.delta' && event.delta.type === 'image') data = event.delta.data;
  }
  assert.match(heard[0] ?? '', /^interaction.created (in_progress)$/);
  assert.deepEqual(heard.slice(1), [
    'step.start',
    'step.delta',
    'step.stop',
    'interaction.completed completed',
  ]);
  assert.deepEqual(sizeOf(data), [1024, 1024]);
});

test('a failed interaction’s stream says so, and a background interaction’s stream can be read later', async () => {
  world.provider.handler = () => Promise.reject(failure('safety_blocked'));
  const statuses: string[] = [];
  const begun = await google.interactions.create({ model, input: 'a fox', background: true });
  await world.finished(begun.id);
  for await (const event of await google.interactions.get(begun.id, { stream: true }))
    if ('interaction' in event) statuses.push(event.interaction.status);
  assert.deepEqual(statuses, ['failed', 'failed']);
});

test('a deleted interaction is gone, with its image and prompt; a running one has to be cancelled first', async () => {
  world.provider.handler = async (asked) => world.provider.answer(asked);
  const { id } = await google.interactions.create({ model: 'nb2', input: 'a fox' });
  await google.interactions.delete(id);
  await assert.rejects(google.interactions.get(id), { status: 404 });
  const { body: job } = await world.send('GET', `/jobs/${id}`);
  assert.deepEqual([job.prompt, job.status], ['', 'done']);
  world.provider.handler = async (_asked, { signal }) => {
    await once(signal, 'abort');
    throw signal.reason;
  };
  const begun = await google.interactions.create({ model: 'nb2', input: 'a fox', background: true });
  await assert.rejects(google.interactions.delete(begun.id), { status: 409 });
  await google.interactions.cancel(begun.id);
  await google.interactions.delete(begun.id);
});

function post(body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${world.url}/v1beta/interactions`, {
    method: 'POST',
    headers: { 'x-goog-api-key': world.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

function clientOf(apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: world.url } });
}

function lastRequest() {
  const last = world.provider.requests.at(-1);
  assert.ok(last);
  return last;
}

function sizeOf(base64: string | undefined): number[] {
  const png = Buffer.from(base64 ?? '', 'base64');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
