import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import sharp from 'sharp';
import { assertRefused } from '../http/support/refusal.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const formats = { png: 'png', jpeg: 'jpg', webp: 'webp' } as const;
const body = { prompt: 'a red fox', aspect_ratio: '1:1' };

interface Made {
  jobId: string;
  job: Record<string, unknown>;
  url: string;
  file: Buffer;
}

async function make(world: World, path: string, fields: object): Promise<Made> {
  const jobId = await world.create(path, fields);
  const job = await world.finished(jobId);
  const { image_url: url } = job.result as { image_url: string };
  return { jobId, job, url, file: await read(url) };
}

async function read(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200, url);
  return Buffer.from(await answer.arrayBuffer());
}

const xmpOf = async (file: Buffer) => String((await sharp(file).metadata()).xmp);

suite('a result has the form that its client requested', () => {
  // Uses our own drawings, which have colours and transparency to check.
  const opening = openWorld({ ownRoutes: true });
  after(async () => (await opening)[Symbol.asyncDispose]());

  test('in every format of every model, with marks, size and name, wherever it is delivered', async () => {
    const world = await opening;
    for (const model of ['nb', 'nb2', 'pro'])
      for (const [format, extension] of Object.entries(formats)) {
        const path = model === 'pro' ? '/text-generations' : `/${model}/text-generations`;
        const { jobId, job, url, file } = await make(world, path, { output_format: format });
        const { media_type, width, height, bytes, thumbnail_url } = job.result as Record<string, string>;
        const found = await sharp(file).metadata();
        assert.deepEqual([found.format, found.width, found.height], [format, 1024, 1024]);
        assert.deepEqual(
          [media_type, width, height, bytes],
          [`image/${format}`, 1024, 1024, file.byteLength],
        );
        assert.equal(job.output_format, format === 'png' ? undefined : format);
        assert.match(new URL(url).pathname, new RegExp(`/${jobId}\\.${extension}$`));
        assert.match(await xmpOf(file), new RegExp(`algorithmicMedia<.*identifier[^>]*>${jobId}<`));
        assert.equal(await xmpOf(await read(thumbnail_url ?? '')), await xmpOf(file));
        const zip = await fetch(`${world.url}/api/v1/jobs/images.zip?job_ids=${jobId}`, {
          headers: { authorization: `Bearer ${world.key}` },
        });
        assert.match(Buffer.from(await zip.arrayBuffer()).toString('latin1'), new RegExp(`\\.${extension}`));
      }
  });

  test('compression makes a file smaller, and an opaque background is filled with white', async () => {
    const world = await opening;
    for (const output_format of ['jpeg', 'webp']) {
      const [large, small] = await Promise.all(
        [undefined, 20].map((output_compression) =>
          make(world, '/nb2/text-generations', { output_format, output_compression }),
        ),
      );
      assert.ok(large && small && small.file.byteLength < large.file.byteLength / 3);
      assert.equal(small.job.output_compression, 20);
    }
  });

  test('transparent in PNG and WebP, and so are its renditions', async () => {
    const world = await opening;
    for (const output_format of ['png', 'webp']) {
      const made = await make(world, '/nb2/text-generations', { output_format, background: 'transparent' });
      assert.equal(made.job.background, 'transparent');
      const { thumbnail_url } = made.job.result as Record<string, string>;
      for (const file of [made.file, await read(thumbnail_url ?? '')]) {
        const { channels } = await sharp(file).stats();
        assert.deepEqual([channels.length, channels[3]?.min, channels[3]?.max], [4, 0, 255]);
      }
    }
  });

  test('in every API, whose answers name the form', async () => {
    const world = await opening;
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
    for (const model of ['nb', 'nb2', 'pro'])
      for (const format of Object.keys(formats)) {
        const send = (path: string, asked: object, more = {}) =>
          fetch(world.url + path, {
            method: 'POST',
            headers: { ...headers, ...more },
            body: JSON.stringify(asked),
          });
        const openai = await send('/v1/images/generations', {
          model,
          prompt: 'a fox',
          output_format: format,
        });
        const answer = (await openai.json()) as { output_format: string; data: { b64_json: string }[] };
        assert.equal(answer.output_format, format);
        assert.equal(await formatOf(answer.data[0]?.b64_json), format);
        const link = await send('/v1/images/generations', {
          ...{ model, prompt: 'a fox', output_format: format, response_format: 'url' },
        });
        const { data } = (await link.json()) as { data: { url: string }[] };
        assert.equal((await sharp(await read(data[0]?.url ?? '')).metadata()).format, format);
        const gemini = await send(
          `/v1beta/models/${model}:generateContent`,
          {
            contents: [{ parts: [{ text: 'a fox' }] }],
            generationConfig: { imageConfig: { imageOutputOptions: { mimeType: `image/${format}` } } },
          },
          { 'x-goog-api-key': world.key },
        );
        const [part] = ((await gemini.json()) as GeminiAnswer).candidates[0]?.content.parts ?? [];
        assert.equal(part?.inlineData.mimeType, `image/${format}`);
        assert.equal(await formatOf(part?.inlineData.data), format);
      }
  });
});

interface GeminiAnswer {
  candidates: { content: { parts: { inlineData: { mimeType: string; data: string } }[] } }[];
}

async function formatOf(base64 = ''): Promise<string | undefined> {
  return (await sharp(Buffer.from(base64, 'base64')).metadata()).format;
}

suite('an impossible output', () => {
  const opaque = new TestProvider();
  const able = Object.assign(new TestProvider(), { id: 'able' });
  Object.assign(able.capabilities, { options: ['background'], exact: false });
  const [nb, nb2, pro] = testRoutes(opaque);
  assert.ok(nb && nb2 && pro);
  const routes = [nb, { ...nb2, provider: able }, pro];
  const opening = openWorld({ replacements: { routes } });
  after(async () => (await opening)[Symbol.asyncDispose]());
  const refuse = async (path: string, fields: object, pointer: string) => {
    const world = await opening;
    const { body: told } = await assertRefused(
      world,
      () => world.send('POST', path, { body: { ...body, ...fields } }),
      422,
      'invalid_request',
    );
    assert.equal((told.errors as { pointer: string }[])[0]?.pointer, pointer);
    return String(told.detail);
  };

  test('is refused before anything is reserved, with the field’s name', async () => {
    const path = '/nb2/text-generations';
    await refuse(path, { output_format: 'gif' }, '/output_format');
    await refuse(path, { output_compression: 50 }, '/output_compression');
    await refuse(path, { output_format: 'jpeg', output_compression: 101 }, '/output_compression');
    await refuse(path, { output_format: 'jpeg', background: 'transparent' }, '/background');
    await refuse(path, { background: 'green' }, '/background');
  });

  test('is refused with the models that can make a transparent background', async () => {
    const world = await opening;
    const fields = { background: 'transparent' };
    const detail = await refuse('/nb/text-generations', fields, '/background');
    assert.match(
      detail,
      /The model nb makes nothing with a transparent background here\. Models that can: nb2\./,
    );
    const request = { model: 'nb', mode: 'text', body: { ...body, ...fields } };
    await refuse(
      '/batches',
      { requests: [request], prompt: undefined, aspect_ratio: undefined },
      '/requests/0/body/background',
    );
    const { body: quoted } = await world.send('POST', '/nb/text-generations?dry_run=true', {
      body: { ...body, ...fields },
    });
    assert.deepEqual([quoted.accepted, quoted.reasons], [false, ['invalid_request']]);
    const { body: models } = await world.send('GET', '/models');
    assert.deepEqual(
      (models.data as Record<string, unknown>[]).map(({ id, formats, backgrounds }) => [
        id,
        formats,
        backgrounds,
      ]),
      [
        ['nb', ['png', 'jpeg', 'webp'], ['auto', 'opaque']],
        ['nb2', ['png', 'jpeg', 'webp'], ['auto', 'opaque', 'transparent']],
        ['pro', ['png', 'jpeg', 'webp'], ['auto', 'opaque']],
      ],
    );
  });

  test('fails without cost if an upstream makes an opaque image nevertheless', async () => {
    const world = await opening;
    const { available } = await world.balance();
    const job = await world.finished(
      await world.create('/nb2/text-generations', { background: 'transparent' }),
    );
    assert.equal(job.status, 'failed');
    assert.equal(job.error, 'The image model made no transparent background.');
    assert.equal((await world.balance()).available, available);
  });

  test('an upstream receives the background, and a transparent result is filled if requested', async () => {
    const world = await opening;
    able.handler = async ({ width, height }) => ({
      bytes: await sharp({ create: { width, height, channels: 4, background: '#ff000000' } })
        .png()
        .toBuffer(),
    });
    const { file } = await make(world, '/nb2/text-generations', { background: 'opaque' });
    assert.equal(able.requests.at(-1)?.request.options?.background, 'opaque');
    const { channels } = await sharp(file).stats();
    assert.deepEqual(
      channels.map(({ min }) => min),
      [255, 255, 255],
    );
    const kept = await make(world, '/nb2/text-generations', {});
    assert.equal((await sharp(kept.file).metadata()).hasAlpha, true);
  });

  test('explicit defaults make the same request, and another format makes another', async () => {
    const world = await opening;
    const headers = { 'idempotency-key': 'formats' };
    const send = (fields: object) =>
      world.send('POST', '/nb2/text-generations', { body: { ...body, ...fields }, headers });
    const first = await send({});
    const same = await send({ output_format: 'png', output_compression: 100, background: 'auto' });
    assert.deepEqual(same.body, first.body);
    assert.equal((await send({ output_format: 'webp' })).body.code, 'idempotency_key_reused');
  });

  test('a job that is made again, and one from a batch, keep the format', async () => {
    const world = await opening;
    const { jobId } = await make(world, '/nb/text-generations', { output_format: 'webp' });
    const { body: again } = await world.send('POST', `/jobs/${jobId}/again`);
    assert.equal((await world.finished(String(again.job_id))).output_format, 'webp');
    const request = { model: 'nb', mode: 'text', body: { ...body, output_format: 'jpeg' } };
    const { body: batch } = await world.send('POST', '/batches', { body: { requests: [request] } });
    const { body: list } = await world.send('GET', `/jobs?batch_id=${batch.batch_id}`);
    const [job] = list.data as { job_id: string; output_format: string }[];
    assert.equal(job?.output_format, 'jpeg');
    await world.finished(job?.job_id ?? '');
  });
});
