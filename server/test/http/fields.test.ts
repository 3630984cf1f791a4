import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { onePixelPng } from '../inputs/support/images.ts';
import { startStranger, strangerNetwork } from '../inputs/support/strangers.ts';
import { openWorld } from '../world/world.ts';
import { createRecordingLog } from './support/recording-log.ts';
import { assertRefused, pointersOf } from './support/refusal.ts';
import { bearer, postText, textBody } from './support/requests.ts';

const log = createRecordingLog();
const world = await openWorld({
  worker: false,
  env: { DARKROOM_ALLOW_NETWORKS: strangerNetwork },
  replacements: { log },
});
let fetches = 0;
let image = onePixelPng;
const images = await startStranger((_request, response) => {
  fetches += 1;
  response.end(image);
});
after(async () => {
  await images[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const imageUrl = `${images.origin}/a.png`;
const fast = { prompt: 'a fox', aspect_ratio: '1:1' };

async function refused(path: string, body: unknown, pointers: string[]) {
  const send = () => world.send('POST', path, { body });
  const reply = await assertRefused(world, send, 422, 'invalid_request');
  assert.deepEqual(new Set(pointersOf(reply)), new Set(pointers));
}

async function storedPrompt(jobId: string): Promise<string> {
  const row = await world.app.database.read
    .selectFrom('jobs')
    .select('prompt')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  return row.prompt;
}

const text = '/nb2/text-generations';
const url = '/nb2/url-generations';

test('C1, C12: every missing field is named', async () => {
  await refused(text, { aspect_ratio: '1:1' }, ['/prompt']);
  await refused(text, { prompt: 'a fox' }, ['/aspect_ratio']);
  await refused(url, {}, ['/prompt', '/aspect_ratio', '/input_images_urls']);
});

test('C2, C3: a prompt that is empty, or empty without its NULs, is 422', async () => {
  for (const prompt of ['', '\0', '\0\0\0']) await refused(text, { ...textBody, prompt }, ['/prompt']);
});

test('C4: NULs are removed from the prompt, the rest stays', async () => {
  assert.equal(await storedPrompt(await world.create(text, { prompt: 'a\0b' })), 'ab');
});

test('C5: a prompt of another type is 422, never converted', async () => {
  for (const prompt of [123, true, null, ['a'], {}])
    await refused(text, { ...textBody, prompt }, ['/prompt']);
});

test('C6: a prompt of one space is valid', async () => {
  assert.equal(await storedPrompt(await world.create(text, { prompt: ' ' })), ' ');
});

test('C7: half a surrogate pair becomes U+FFFD, and a replay is still a replay', async () => {
  const send = () =>
    world.send('POST', text, {
      body: '{"prompt":"a \\ud800 fox","aspect_ratio":"1:1"}',
      headers: { 'idempotency-key': 'half-a-pair' },
    });
  const first = await send();
  assert.equal(first.status, 202);
  assert.equal(await storedPrompt(String(first.body.job_id)), 'a \ufffd fox');
  assert.equal((await send()).body.job_id, first.body.job_id);
});

test('C8: a prompt may have 32,768 characters and no more, and 1 MB is 413', async () => {
  const prompt = 'ü'.repeat(32_768);
  assert.equal(await storedPrompt(await world.create(text, { prompt })), prompt);
  assert.equal(
    await storedPrompt(await world.create(text, { prompt: `${'a'.repeat(32_768)}\0` })),
    'a'.repeat(32_768),
  );
  await refused(text, { ...textBody, prompt: 'a'.repeat(32_769) }, ['/prompt']);
  await assertRefused(world, () => postText(world, { prompt: 'a'.repeat(1_000_000) }), 413, 'body_too_large');
});

const strange = {
  'a right-to-left override': 'a \u202e fox',
  'zero-width characters': 'a\u200b\u200d\ufeff fox',
  'joined emoji': '👩🏽‍🚀 and 👨‍👩‍👧‍👦',
  'composed characters': 'caf\u00e9',
  'decomposed characters': 'cafe\u0301',
  SQL: `'; DROP TABLE jobs;--`,
  'a template': '{{7*7}} #{7*7} <%= 7*7 %>',
  'a lookup': `$\{jndi:ldap://127.0.0.1/a}`,
  HTML: '<script>alert(1)</script>',
  'a line break and colours': 'a\r\nb \u001b[31mred',
};
for (const [name, prompt] of Object.entries(strange)) {
  test(`C9, C10: a prompt with ${name} is stored unchanged and has no effect`, async () => {
    assert.equal(await storedPrompt(await world.create(text, { prompt })), prompt);
    assert.ok(
      !log.lines.some((line) => line.includes(JSON.stringify(prompt).slice(1, -1))),
      'it is in the log',
    );
  });
}

test('C9: composed and decomposed characters are different requests', async () => {
  const headers = { 'idempotency-key': 'composed' };
  assert.equal((await postText(world, { prompt: 'caf\u00e9' }, headers)).status, 202);
  const decomposed = () => postText(world, { prompt: 'cafe\u0301' }, headers);
  await assertRefused(world, decomposed, 422, 'idempotency_key_reused');
});

test('C13: a ratio that is not spelled as documented is 422', async () => {
  for (const aspect_ratio of ['16:10', '1:1 ', '１:１', '1/1', 'AUTO', '', null, 1, ['1:1']]) {
    await refused(text, { ...textBody, aspect_ratio }, ['/aspect_ratio']);
    await refused('/text-generations', { ...textBody, aspect_ratio }, ['/aspect_ratio']);
  }
});

test('C14, C15: the fast model takes neither long ratios nor auto, on both endpoints', async () => {
  for (const aspect_ratio of ['1:4', '1:8', '4:1', '8:1', 'auto']) {
    await refused('/nb/text-generations', { ...fast, aspect_ratio }, ['/aspect_ratio']);
    const withInput = { ...fast, aspect_ratio, input_images_urls: [imageUrl] };
    await refused('/nb/url-generations', withInput, ['/aspect_ratio']);
  }
});

test('every documented ratio is accepted, and the job shows it', async () => {
  const common = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];
  const all = [...common, '1:4', '1:8', '4:1', '8:1', 'auto'];
  for (const [path, ratios] of [
    ['/nb/text-generations', common],
    ['/nb2/text-generations', all],
    ['/text-generations', all],
  ] as const) {
    for (const aspect_ratio of ratios) {
      const jobId = await world.create(path, { aspect_ratio });
      assert.equal((await world.send('GET', `/jobs/${jobId}`)).body.aspect_ratio, aspect_ratio);
    }
  }
});

test('C16, C17: the fast model refuses any resolution', async () => {
  for (const resolution of ['1K', '2K', null, 1]) {
    await refused('/nb/text-generations', { ...fast, resolution }, ['/resolution']);
    const withInput = { ...fast, resolution, input_images_urls: [imageUrl] };
    await refused('/nb/url-generations', withInput, ['/resolution']);
  }
});

test('C18: a resolution is 1K, 2K or 4K and nothing else', async () => {
  for (const resolution of ['8K', '1k', 1, null, '']) {
    await refused('/text-generations', { ...textBody, resolution }, ['/resolution']);
    await refused(text, { ...textBody, resolution }, ['/resolution']);
  }
});

test('C19: a resolution left out is 1K, at its price', async () => {
  const { body } = await world.send('GET', `/jobs/${await world.create('/text-generations')}`);
  assert.deepEqual([body.resolution, body.price], ['1K', '0.08']);
});

test('every model has its prices', async () => {
  const prices: unknown[] = [];
  for (const [path, more] of [
    ['/nb/text-generations', {}],
    ['/nb2/text-generations', { resolution: '1K' }],
    ['/nb2/text-generations', { resolution: '2K' }],
    ['/nb2/text-generations', { resolution: '4K' }],
    ['/text-generations', { resolution: '2K' }],
    ['/text-generations', { resolution: '4K' }],
  ] as const) {
    prices.push((await world.send('GET', `/jobs/${await world.create(path, more)}`)).body.price);
  }
  assert.deepEqual(prices, ['0.02', '0.04', '0.06', '0.09', '0.10', '0.15']);
});

test('C20, C23: a field that the endpoint does not have is 422, not ignored', async () => {
  await refused(text, { ...textBody, seed: 1 }, ['/seed']);
  await refused(text, { ...textBody, 'a/b~c': 1 }, ['/a~1b~0c']);
  await refused(text, { ...textBody, input_images_urls: [imageUrl] }, ['/input_images_urls']);
});

test('C21, C22: a callback may be null, not empty', async () => {
  await world.create(text, { callback_url: null });
  for (const callback_url of ['', 5, false, {}, 'x'.repeat(3_000)])
    await refused(text, { ...textBody, callback_url }, ['/callback_url']);
});

for (const [name, list, pointer] of [
  ['C24: a text', imageUrl, '/input_images_urls'],
  ['C24: null', null, '/input_images_urls'],
  ['C24: no entry', [], '/input_images_urls'],
  ['C24: 15 entries', Array.from({ length: 15 }, () => imageUrl), '/input_images_urls'],
  ['C24: an entry that is null', [null], '/input_images_urls/0'],
  ['C24: an empty entry', [imageUrl, ''], '/input_images_urls/1'],
  ['C24: an entry that is a number', [1], '/input_images_urls/0'],
  ['C26: a scheme in capitals', ['HTTP://EXAMPLE.COM/a.png'], '/input_images_urls/0'],
  ['C27: a space before the URL', [` ${imageUrl}`], '/input_images_urls/0'],
  ['C27: a tab before the URL', [`\t${imageUrl}`], '/input_images_urls/0'],
  ['C27: a line break before the URL', [`\n${imageUrl}`], '/input_images_urls/0'],
] as const) {
  test(`${name} as input_images_urls is 422 and fetches nothing`, async () => {
    fetches = 0;
    for (const path of ['/url-generations', url, '/nb/url-generations'])
      await refused(path, { ...fast, input_images_urls: list }, [pointer]);
    assert.equal(fetches, 0);
  });
}

test('an input URL may have 8,192 characters, a callback_url 2,048', async () => {
  const long = (start: string, length: number) => start.padEnd(length, 'x');
  await world.create(url, { input_images_urls: [long(`${imageUrl}?`, 8_192)] });
  const tooLong = { ...fast, input_images_urls: [long(`${imageUrl}?`, 8_193)] };
  await refused(url, tooLong, ['/input_images_urls/0']);
  await world.create(text, { callback_url: long('https://example.com/', 2_048) });
  for (const end of ['x'.repeat(2_029), '😀'.repeat(1_015), '😀'.repeat(2_029)]) {
    const callback_url = `https://example.com/${end}`;
    await refused(text, { ...textBody, callback_url }, ['/callback_url']);
  }
});

test('a callback_url may begin with HTTPS:// in capitals', async () => {
  await world.create(text, { callback_url: 'HTTPS://example.com/' });
  await world.create(text, { callback_url: 'HttP://example.com/' });
});

const told: Record<string, [path: string, body: unknown, detail: string]> = {
  'a body that is no object': [text, [], 'The body must be a JSON object.'],
  'a missing field': [text, { prompt: 'a fox' }, 'The field "aspect_ratio" is required.'],
  'an unknown field': [text, { ...textBody, seed: 1 }, 'The field "seed" is not known here; leave it out.'],
  'a prompt of another type': [text, { ...textBody, prompt: 1 }, 'The field "prompt" must be a string.'],
  'an empty prompt': [text, { ...textBody, prompt: '' }, 'The field "prompt" must not be empty.'],
  'a prompt that is too long': [
    text,
    { ...textBody, prompt: 'a'.repeat(32_769) },
    'The field "prompt" must have at most 32,768 characters.',
  ],
  'a resolution that is none': [
    text,
    { ...textBody, resolution: '8K' },
    'The field "resolution" must be one of 1K, 2K, 4K.',
  ],
  'a callback_url of another type': [
    text,
    { ...textBody, callback_url: 5 },
    'The field "callback_url" must be a string or null.',
  ],
  'a callback_url without a scheme': [
    text,
    { ...textBody, callback_url: 'example.com/hook' },
    'The field "callback_url" must be a URL that begins with http:// or https://.',
  ],
  'a callback_url that is too long': [
    text,
    { ...textBody, callback_url: 'https://example.com/'.padEnd(2_049, 'x') },
    'The field "callback_url" must have at most 2,048 characters.',
  ],
  'no input': [
    url,
    { ...fast, input_images_urls: [] },
    'The field "input_images_urls" must have at least 1 entry.',
  ],
  'too many inputs': [
    url,
    { ...fast, input_images_urls: Array.from({ length: 15 }, () => imageUrl) },
    'The field "input_images_urls" must have at most 14 entries.',
  ],
  'an input that is no URL': [
    url,
    { ...fast, input_images_urls: [imageUrl, 'ftp://example.com/a.png'] },
    'Entry 2 of "input_images_urls" must be a URL that begins with http:// or https://.',
  ],
  'an input URL that is too long': [
    url,
    { ...fast, input_images_urls: [`${imageUrl}?`.padEnd(8_193, 'x')] },
    'Entry 1 of "input_images_urls" must have at most 8,192 characters.',
  ],
};
for (const [name, [path, body, detail]] of Object.entries(told)) {
  test(`${name} is explained in a sentence`, async () => {
    assert.equal((await world.send('POST', path, { body })).body.detail, detail);
  });
}

test('for invalid ids, days and times, the error says how to write them', async () => {
  const detailOf = async (path: string, body?: object) =>
    (await world.send(body ? 'POST' : 'GET', path, body && { body })).body.detail;
  const id = 'an id such as 0199f3a0-7c52-7d31-9a4e-2f6b8c1d0e57';
  assert.equal(await detailOf('/deliveries?job_id=7'), `The parameter "job_id" must be ${id}.`);
  assert.equal(
    await detailOf('/usage?from=2026-13-01'),
    'The parameter "from" must be a day such as 2026-11-20.',
  );
  const time = 'a time such as 2026-11-20T00:00:00Z';
  assert.equal(await detailOf('/deliveries/replay', { from: 'then' }), `The field "from" must be ${time}.`);
  assert.equal(
    await detailOf('/usage?from=2026-11-02&to=2026-11-01'),
    'The first day must not be after the last day.',
  );
});

test('many mistakes are counted, and 20 of them named', async () => {
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field_${i}`, i]));
  const { body } = await world.send('POST', text, { body: { ...textBody, ...fields } });
  assert.equal(body.detail, '30 parts of the body are not valid; "errors" names the first 20.');
  assert.equal((body.errors as unknown[]).length, 20);
  const query = await world.send('GET', '/jobs?limit=0&page=1');
  assert.equal(query.body.detail, '2 parts of the query are not valid; "errors" names each.');
  const one = await world.send('GET', '/jobs?limit=0');
  assert.equal(one.body.detail, 'The parameter "limit" must be a whole number from 1 to 100.');
});

test('C25: 14 valid inputs are accepted', async () => {
  const input_images_urls = Array.from({ length: 14 }, (_, i) => `${images.origin}/${i}.png`);
  fetches = 0;
  await world.create(url, { input_images_urls });
  assert.equal(fetches, 14);
});

test('C28: the same URL 14 times is fetched once, and its bytes count 14 times', async () => {
  const input_images_urls = Array.from({ length: 14 }, () => imageUrl);
  fetches = 0;
  await world.create(url, { input_images_urls });
  assert.equal(fetches, 1);

  // Noise does not compress: the image has about 3.2 MB, well under the limit, but 14 of them are over it.
  const side = 1_030;
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  image = await noise.png({ compressionLevel: 1 }).toBuffer();
  try {
    const send = (input_images_urls: string[]) =>
      world.send('POST', url, { body: { ...textBody, input_images_urls } });
    assert.equal((await send([imageUrl])).status, 202);
    const reply = await assertRefused(world, () => send(input_images_urls), 422, 'inputs_unusable');
    assert.deepEqual(pointersOf(reply), ['/input_images_urls']);
  } finally {
    image = onePixelPng;
  }
});

test('all mistakes of a create are reported at once, in headers, fields and URLs', async () => {
  const body = {
    aspect_ratio: '7:5',
    callback_url: 'http://127.0.0.1/hook',
    input_images_urls: ['http://10.0.0.1/a.png', 'ftp://example.com/b.png', 'http://[::1]/c.png'],
  };
  const headers = { 'idempotency-key': 'a b' };
  const send = () => world.send('POST', '/nb2/url-generations', { body, headers });
  const reply = await assertRefused(world, send, 422, 'invalid_request');
  assert.deepEqual(pointersOf(reply).sort(), [
    '/aspect_ratio',
    '/callback_url',
    '/headers/idempotency-key',
    '/input_images_urls/0',
    '/input_images_urls/1',
    '/input_images_urls/2',
    '/prompt',
  ]);
});

test('inputs on private hosts are refused and all named, before money is checked', async () => {
  const { key } = await world.account('poor');
  const body = { ...textBody, input_images_urls: ['http://10.0.0.1/a.png', 'http://169.254.169.254/'] };
  const send = () => world.send('POST', '/nb2/url-generations', { body, headers: bearer(key) });
  const reply = await assertRefused(world, send, 422, 'inputs_unusable');
  assert.deepEqual(pointersOf(reply), ['/input_images_urls/0', '/input_images_urls/1']);
});
