import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import sharp from 'sharp';
import { readConfig } from '../../src/config/config.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { StoreUnavailable } from '../../src/images/image-store.ts';
import type { GuardrailSettings } from '../../src/jobs/guardrails/guardrail-settings.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { bearer } from '../http/support/requests.ts';
import { openWorld, type World } from '../world/world.ts';
import { type Asked, startHook } from './support/hook.ts';

const hook = await startHook();
after(() => hook[Symbol.asyncDispose]());
const settings: GuardrailSettings = {
  url: hook.url,
  stages: ['prompt', 'image'],
  timeoutMs: 5_000,
  whenDown: 'refuse',
  blockWords: ['forbidden fruit', 'Spaß', '\u200b'],
  maskWords: ['Adam'],
};
const accounts = new Map<string, GuardrailSettings>();
const policy = (usual: GuardrailSettings) => ({
  guardrails: { usual, accounts, keepPromptsDays: 0, strikes: null, key: 'key of the hook' },
});
const world = await openWorld({ config: policy(settings) });
after(() => world[Symbol.asyncDispose]());

beforeEach(() => {
  hook.asked.length = 0;
  hook.answer = () => ({ action: 'NONE' });
  accounts.clear();
});

const blocked = { action: 'BLOCKED', blocked_reason: 'It is of snakes.' };
const isPrompt = ({ body }: Asked) => body.input_type === 'request';
const post = (prompt: string, headers: Record<string, string> = {}, at: World = world) =>
  at.send('POST', '/nb2/text-generations', { body: { prompt, aspect_ratio: '1:1' }, headers });

async function jobCount({ app, accountId }: World): Promise<number> {
  const jobs = app.database.read.selectFrom('jobs').select('id').where('account_id', '=', accountId);
  return (await jobs.execute()).length;
}

async function assertNothingMade(refuse: () => ReturnType<World['send']>, status: number, code: ErrorCode) {
  const before = [await jobCount(world), await world.balance()];
  const reply = await assertRefused(world, refuse, status, code);
  assert.deepEqual([await jobCount(world), await world.balance()], before);
  return reply;
}

const assertPromptRefused = (refuse: () => ReturnType<World['send']>) =>
  assertNothingMade(refuse, 422, 'prompt_refused');

/** Asserts that the request was refused because the service gave no valid answer, and can be sent again. */
async function assertUnchecked(refuse: () => ReturnType<World['send']>) {
  const { headers, body } = await assertNothingMade(refuse, 503, 'overloaded');
  assert.equal(headers.get('retry-after'), '10');
  assert.equal(body.errors, undefined);
}

test('a service is asked about prompt and image, in the words of the guardrail API', async () => {
  const jobId = await world.create('/nb2/text-generations', { prompt: 'a fox' });
  const { status } = await world.finished(jobId);
  assert.equal(status, 'done');
  const [prompt, image] = hook.asked;
  assert.equal(hook.asked.length, 2);
  assert.equal(prompt?.headers['x-api-key'], 'key of the hook');
  assert.deepEqual(
    [prompt?.body.input_type, prompt?.body.texts, prompt?.body.images],
    ['request', ['a fox'], []],
  );
  assert.equal(prompt?.body.request_data.user_api_key_team_id, world.accountId);
  assert.deepEqual([image?.body.input_type, image?.body.texts, image?.body.model], ['response', [], 'nb2']);
  assert.match(image?.body.images[0] ?? '', /^data:image\/png;base64,iVBOR/);
});

test('a checked prompt without inputs uses nothing of a limit of input bytes', async () => {
  const { key, keyId } = await world.account('counted', { creditMicros: 1_000_000n });
  await (await openAdministration(world))().changeKeyLimits(keyId, { input_bytes_day: 1 });
  for (const _time of [1, 2]) {
    const { status, body } = await post('a fox', bearer(key));
    assert.equal(status, 202, JSON.stringify(body));
    await world.finished(String(body.job_id), key);
  }
});

test('a refused prompt is 422 with the reason: nothing is reserved, and there is no job', async () => {
  hook.answer = () => blocked;
  const { body } = await assertPromptRefused(() => post('a snake'));
  assert.equal(body.detail, 'The policy of this service refuses the request. It is of snakes.');
  assert.deepEqual(body.errors, [{ pointer: '/prompt', detail: body.detail }]);
});

test('a reason is shown as one readable line', async () => {
  hook.answer = () => ({ action: 'BLOCKED', blocked_reason: '\u001b[31mSnakes\r\n\ud800are out.\0' });
  const { body } = await assertPromptRefused(() => post('a snake'));
  assert.equal(body.detail, 'The policy of this service refuses the request. [31mSnakes are out.');
});

test('the address of the service needs a host', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'policy-'));
  const file = join(folder, 'darkroom.json');
  try {
    for (const url of ['http://', 'https:///check', 'http://:80/']) {
      await writeFile(file, JSON.stringify({ policy: { url } }));
      assert.throws(() => readConfig({ DARKROOM_CONFIG: file }), /policy.*url/s);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a repeated create is answered as before, whatever the service says now', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await post('a fox', headers);
  hook.answer = () => blocked;
  const again = await post('a fox', headers);
  assert.deepEqual([again.status, again.body.job_id], [202, first.body.job_id]);
  await world.finished(String(first.body.job_id));
  assert.equal(hook.asked.filter(isPrompt).length, 1);
});

test('a refused create leaves its key free', async () => {
  const headers = { 'idempotency-key': 'refused-first' };
  hook.answer = () => blocked;
  await assertPromptRefused(() => post('a snake', headers));
  hook.answer = (asked) => (isPrompt(asked) ? { action: 'NONE' } : blocked);
  const { status, body } = await post('a snake', headers);
  assert.equal(status, 202);
  // It ends here, because the next test counts what is stored and asked.
  assert.equal((await world.finished(String(body.job_id))).error_code, 'policy_refused');
});

test('input images are sent to the service, and their stored copies are removed if they are refused', async () => {
  const { result } = await world.finished(await world.create());
  const { image_url } = result as { image_url: string };
  const images = async () => {
    const keys: string[] = [];
    for await (const { key } of world.app.images.list('')) keys.push(key);
    return keys;
  };
  const before = await images();
  hook.answer = () => blocked;
  const body = { prompt: 'like this', aspect_ratio: '1:1', input_images_urls: [image_url] };
  await assertPromptRefused(() => world.send('POST', '/nb2/url-generations', { body }));
  const [, sent = ''] = /^data:image\/png;base64,(.+)$/.exec(hook.asked.at(-1)?.body.images[0] ?? '') ?? [];
  const { width } = await sharp(Buffer.from(sent, 'base64'))
    .raw()
    .toBuffer({ resolveWithObject: true })
    .then(({ info }) => info);
  assert.equal(width, (result as { width: number }).width);
  assert.deepEqual(await images(), before);
});

test('an input that cannot be read does not count as allowed', async () => {
  const { images } = world.app;
  await using own = await openWorld({
    config: policy({ ...settings, whenDown: 'allow' }),
    replacements: {
      images: {
        ...images,
        async get(key, range) {
          if (key.startsWith('inputs/')) throw new StoreUnavailable('the store is away');
          return images.get(key, range);
        },
      },
    },
  });
  const { result } = await own.finished(await own.create());
  const { image_url } = result as { image_url: string };
  const body = { prompt: 'like this', aspect_ratio: '1:1', input_images_urls: [image_url] };
  const create = () => own.send('POST', '/nb2/url-generations', { body });
  assertProblem(await create(), 502, 'storage_unavailable');
  assert.equal(await jobCount(own), 1);
});

test('a batch with a refused prompt is refused as a whole and says which', async () => {
  // The first refusal ends the other checks; the check of the fox has arrived by then.
  const fox = Promise.withResolvers<void>();
  hook.answer = async ({ body }) => {
    if (body.texts[0] === 'a snake') return fox.promise.then(() => blocked);
    fox.resolve();
    return { action: 'NONE' };
  };
  const requests = ['a fox', 'a fox', 'a snake'].map((prompt) => ({
    model: 'nb2',
    mode: 'text',
    body: { prompt, aspect_ratio: '1:1' },
  }));
  const { body } = await assertPromptRefused(() => world.send('POST', '/batches', { body: { requests } }));
  assert.equal((body.errors as { pointer: string }[])[0]?.pointer, '/requests/2/body/prompt');
  assert.equal(hook.asked.length, 2);
});

test('a batch asks the service about a prompt with each of its models', async () => {
  // The first refusal ends the other checks; the check for the other model has arrived by then.
  const other = Promise.withResolvers<void>();
  hook.answer = async ({ body }) => {
    if (body.model === 'pro') return other.promise.then(() => blocked);
    other.resolve();
    return { action: 'NONE' };
  };
  const requests = ['nb2', 'pro', 'nb2'].map((model) => ({
    ...{ model, mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } },
  }));
  const { body } = await assertPromptRefused(() => world.send('POST', '/batches', { body: { requests } }));
  assert.equal((body.errors as { pointer: string }[])[0]?.pointer, '/requests/1/body/prompt');
  assert.deepEqual(hook.asked.map(({ body: { model } }) => model).sort(), ['nb2', 'pro']);
});

test('a job continues with the prompt with which the service replaces its own', async () => {
  hook.answer = (asked) =>
    isPrompt(asked) ? { action: 'GUARDRAIL_INTERVENED', texts: ['a [person]'] } : { action: 'NONE' };
  await world.finished(await world.create('/nb2/text-generations', { prompt: 'a Jane Doe' }));
  assert.equal(world.provider.requests.at(-1)?.request.prompt, 'a [person]');
});

test('operators’ words are refused and masked without the service, as whole words and in any spelling', async () => {
  await assertPromptRefused(() => post('a ＦＯＲＢＩＤＤＥＮ  fruit, ripe'));
  assert.equal(hook.asked.length, 0);
  await world.finished(
    await world.create('/nb2/text-generations', { prompt: 'ADAM eats forbidden fruits, madam' }),
  );
  assert.equal(world.provider.requests.at(-1)?.request.prompt, '*** eats forbidden fruits, madam');
});

test('a quote checks the words, and does not ask the service', async () => {
  const quote = async (path: string, body: object) => {
    const { status, body: quoted } = await world.send('POST', `${path}?dry_run=true`, { body });
    return [status, quoted.accepted, quoted.reasons];
  };
  for (const [prompt, ...expected] of [
    ['a fox', true, []],
    ['forbidden fruit', false, ['prompt_refused']],
  ] as const) {
    const body = { prompt, aspect_ratio: '1:1' };
    assert.deepEqual(await quote('/nb2/text-generations', body), [200, ...expected]);
    const requests = [{ model: 'nb2', mode: 'text', body }];
    assert.deepEqual(await quote('/batches', { requests }), [200, ...expected]);
  }
  assert.equal(hook.asked.length, 0);
});

test('words are found despite invisible characters in them, and replaced in place', async () => {
  const hidden = [
    'for\u00adbid\u200bden fr\ufe0fuit',
    'forbidden-fruit',
    'forbidden_.fruit',
    'SPASS',
    'spa\u2060ß',
  ];
  for (const prompt of hidden) await assertPromptRefused(() => post(prompt));
  assert.equal(hook.asked.length, 0);
  await world.finished(
    await world.create('/nb2/text-generations', {
      prompt: '½ \ufb01g,\u200b A\u200bd\u00adam: Ａdam\u200d 👩\u200d🎨',
    }),
  );
  assert.equal(world.provider.requests.at(-1)?.request.prompt, '½ \ufb01g,\u200b ***: *** 👩\u200d🎨');
});

test('a refused image fails its job once, costs nothing and is stored nowhere', async () => {
  hook.answer = (asked) => (isPrompt(asked) ? { action: 'NONE' } : blocked);
  const before = await world.balance();
  const made = world.provider.requests.length;
  const job = await world.finished(await world.create());
  assert.deepEqual([job.status, job.error_code], ['failed', 'policy_refused']);
  assert.match(String(job.error), /policy of this service refuses it\. It is of snakes\.$/);
  assert.equal(world.provider.requests.length, made + 1);
  assert.deepEqual(await world.balance(), before);
  for await (const { key } of world.app.images.list('')) assert.ok(!key.includes(String(job.job_id)));
});

test('an image that cannot be checked now waits for the service, and is made once', async () => {
  let failures = 2;
  hook.answer = (asked) => (isPrompt(asked) || failures-- <= 0 ? { action: 'NONE' } : 503);
  const made = world.provider.requests.length;
  assert.equal((await world.finished(await world.create())).status, 'done');
  assert.equal(world.provider.requests.length, made + 1);
});

test('without a valid answer, the request is refused for now, or allowed if the operator says so', async () => {
  const changedTo = (...texts: string[]) => ({ action: 'GUARDRAIL_INTERVENED', texts });
  const tooLong = 'x'.repeat(32_769);
  const nonsense = [changedTo('a', 'b'), changedTo(tooLong), changedTo('a\0'), changedTo('\ud800')];
  const huge = { action: 'NONE', blocked_reason: 'x'.repeat(1024 * 1024) };
  for (const answer of [500, { action: 'HELLO' }, {}, ...nonsense, huge]) {
    hook.answer = () => answer;
    await assertUnchecked(() => post('a fox'));
  }
  accounts.set(world.accountId, { ...settings, whenDown: 'allow' });
  const job = await world.finished(await world.create());
  assert.equal(job.status, 'done');
});

test('a service that does not answer in time counts as down', async () => {
  const release = Promise.withResolvers<object>();
  hook.answer = () => release.promise;
  accounts.set(world.accountId, { ...settings, timeoutMs: 1 });
  await assertUnchecked(() => post('a fox'));
  release.resolve({ action: 'NONE' });
});

test('an account can have its own policy, or none', async () => {
  hook.answer = () => blocked;
  accounts.set(world.accountId, { ...settings, stages: [] });
  assert.equal((await world.finished(await world.create())).status, 'done');
  assert.equal(hook.asked.length, 0);
});

async function askDoor(path: string, body: object, more: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', ...more };
  const reply = await fetch(`${world.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

const askOpenAi = () => askDoor('/v1/images/generations', { model: 'nb2', prompt: 'a snake' });
const askGemini = () =>
  askDoor('/v1beta/models/nb2:generateContent', { contents: [{ parts: [{ text: 'a snake' }] }] });
async function askMcp(): Promise<string> {
  const params = { name: 'generate_image', arguments: { prompt: 'a snake', model: 'nb2' } };
  const accept = { accept: 'application/json, text/event-stream' };
  return (await askDoor('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, accept)).text;
}

test('each API refuses in its own words', async () => {
  hook.answer = () => blocked;
  const openai = await askOpenAi();
  assert.equal(openai.status, 400);
  assert.match(
    openai.text,
    /"type":"image_generation_user_error","param":"prompt","code":"moderation_blocked"/,
  );
  const gemini = await askGemini();
  assert.equal(gemini.status, 400);
  assert.match(gemini.text, /PROMPT_REFUSED/);
  assert.match(
    await askMcp(),
    /"The policy of this service refuses the request\. It is of snakes\. Ask the user/,
  );
});

test('each API says that a prompt that cannot be checked now can be sent again', async () => {
  hook.answer = () => 500;
  const openai = await askOpenAi();
  const retry = ['x-should-retry', 'retry-after'].map((name) => openai.headers.get(name));
  assert.deepEqual([openai.status, ...retry], [503, 'true', '10']);
  assert.match(openai.text, /"type":"server_error","param":null,"code":"overloaded"/);
  const gemini = await askGemini();
  assert.equal(gemini.status, 503);
  assert.match(gemini.text, /"UNAVAILABLE".*"retryDelay":"10s"/s);
  assert.match(await askMcp(), /"The request could not be checked .* Send it again shortly\. Wait 10 s/);
});

test('a damaged image is made again, and the service is not asked about it', async () => {
  await using own = await openWorld({ config: policy({ ...settings, stages: ['image'] }) });
  own.provider.capabilities.exact = false;
  own.provider.handler = async ({ width, height }, { attempt }) => {
    const png = await sharp({ create: { width, height, channels: 3, background: '#a40' } })
      .png({ compressionLevel: 0 })
      .toBuffer();
    return { bytes: attempt === 1 ? png.fill(0, 20_000, 20_100) : png };
  };
  assert.equal((await own.finished(await own.create())).status, 'done');
  assert.equal(hook.asked.length, 1);
});

test('the service’s time is measured', async () => {
  await world.finished(await world.create());
  const text = await (await fetch(`${world.url}/metrics`)).text();
  assert.match(text, /darkroom_policy_seconds_count\{stage="prompt",outcome="allowed"\} \d/);
});

test('without a policy, any word is accepted and no service is asked', async () => {
  await using free = await openWorld();
  assert.equal((await post('forbidden fruit', {}, free)).status, 202);
  assert.equal(hook.asked.length, 0);
  assertProblem(await post('', {}, free), 422, 'invalid_request');
});
