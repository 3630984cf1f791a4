import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { assertRefused } from '../http/support/refusal.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';

const size = { width: 1024, height: 1024 };
const made = { r: 240, g: 20, b: 90 };
const numRuns = Number(process.env.MASKS ?? 6);

// A provider that paints the whole image, ignoring the mask.
const painter = new TestProvider();
Object.assign(painter.capabilities, { exact: false, options: ['mask', 'background'] });
painter.handler = async ({ width, height }) => ({
  bytes: await sharp({ create: { width, height, channels: 3, background: made } })
    .png()
    .toBuffer(),
});
const [nb, nb2, pro] = testRoutes(new TestProvider());
assert.ok(nb && nb2 && pro);
const world = await openWorld({ replacements: { routes: [nb, { ...nb2, provider: painter }, pro] } });
after(() => world[Symbol.asyncDispose]());

async function upload(image: Uint8Array): Promise<string> {
  const answer = await fetch(`${world.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/octet-stream' },
    body: image,
  });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as { url: string }).url;
}

const original = await sharp(
  Buffer.from(Array.from({ length: size.width * size.height * 3 }, (_, at) => (at * 7 + (at >> 9)) % 251)),
  { raw: { ...size, channels: 3 } },
)
  .png()
  .toBuffer();
const originalUrl = await upload(original);
const pixelsOf = (image: Uint8Array) => sharp(image).removeAlpha().raw().toBuffer();
const before = await pixelsOf(original);

type Box = readonly [left: number, top: number, width: number, height: number];

function drawMask(boxes: readonly Box[], { width, height } = size): Promise<Buffer> {
  const rects = boxes.map(
    ([x, y, w, h]) => `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="white"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" shape-rendering="crispEdges"><rect width="100%" height="100%"/>${rects.join('')}</svg>`;
  return sharp(Buffer.from(svg)).removeAlpha().png().toBuffer();
}

const isIn = ([x, y, w, h]: Box, at: number) => {
  const [left, top] = [at % size.width, Math.floor(at / size.width)];
  return left >= x && left < x + w && top >= y && top < y + h;
};

async function edit(
  maskUrl: string,
  fields: object = {},
): Promise<{ job: Record<string, unknown>; file: Buffer }> {
  const job = await world.finished(
    await world.create('/nb2/url-generations', {
      ...{ aspect_ratio: '1:1', input_images_urls: [originalUrl], mask_url: maskUrl },
      ...fields,
    }),
  );
  const { image_url: url } = job.result as { image_url: string };
  return { job, file: Buffer.from(await (await fetch(url)).arrayBuffer()) };
}

async function difference(file: Buffer, isInside: (at: number) => boolean) {
  const found = await pixelsOf(file);
  const painted = [made.r, made.g, made.b];
  const far = { outside: 0, inside: 0 };
  for (let at = 0; at < found.length; at++) {
    const place = isInside(Math.floor(at / 3)) ? 'inside' : 'outside';
    const wanted = place === 'inside' ? painted[at % 3] : before[at];
    far[place] = Math.max(far[place], Math.abs((found[at] ?? 0) - (wanted ?? 0)));
  }
  return far;
}

suite('a mask', () => {
  test('changes only the image’s pixels where it is white, whatever its shape', async () => {
    const side = fc.integer({ min: 1, max: size.width });
    const box = fc.tuple(side, side, side, side);
    await fc.assert(
      fc.asyncProperty(fc.array(box, { minLength: 1, maxLength: 4 }), async (boxes) => {
        const { file } = await edit(await upload(await drawMask(boxes)));
        const far = await difference(file, (at) => boxes.some((one) => isIn(one, at)));
        assert.ok(far.outside <= 2 && far.inside <= 2, JSON.stringify(far));
      }),
      { numRuns },
    );
  });

  test('is scaled to its image, is shown with the job, and a soft edge blends', async () => {
    const small = await sharp(await drawMask([[0, 0, 128, 256]], { width: 256, height: 256 }))
      .blur(8)
      .png()
      .toBuffer();
    const { job, file } = await edit(await upload(small));
    const far = await difference(file, (at) => at % size.width < size.width / 2);
    assert.ok(far.outside > 50, 'the edge is soft');
    const [edge, right] = await Promise.all(
      [size.width / 2, size.width - 1].map((left) =>
        sharp(file).extract({ left, top: 500, width: 1, height: 1 }).removeAlpha().raw().toBuffer(),
      ),
    );
    const at = (500 * size.width + size.width - 1) * 3;
    assert.deepEqual(right, before.subarray(at, at + 3));
    assert.notDeepEqual(edge, right);
    const shown = await fetch(String(job.mask_url));
    const kept = await sharp(Buffer.from(await shown.arrayBuffer())).metadata();
    assert.deepEqual([kept.width, kept.height, kept.channels], [1024, 1024, 1]);
    assert.equal((job.input_images_urls as string[]).length, 1);
  });

  test('reaches the upstream in the size of the image, and is kept when a job is made again', async () => {
    const { job } = await edit(await upload(await drawMask([[0, 0, 512, 1024]])));
    const { body: again } = await world.send('POST', `/jobs/${job.job_id}/again`);
    const repeated = await world.finished(String(again.job_id));
    assert.ok(repeated.mask_url);
    for (const { request } of painter.requests.slice(-2)) {
      const { mask } = request.options ?? {};
      assert.deepEqual([mask?.width, mask?.height, request.inputs.length], [1024, 1024, 1]);
      const { data } = await sharp(Buffer.concat((await (await mask?.read())?.toArray()) ?? []))
        .extractChannel('alpha')
        .raw()
        .toBuffer({ resolveWithObject: true });
      assert.deepEqual([data[0], data[1023]], [0, 255]);
    }
  });

  test("from OpenAI's clients marks the transparent pixels, in a form and in JSON", async () => {
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 });
    const grey = await sharp(await drawMask([[0, 0, 512, 1024]]))
      .toColourspace('b-w')
      .negate()
      .raw()
      .toBuffer();
    const mask = await sharp({ create: { ...size, channels: 3, background: '#fff' } })
      .joinChannel(grey, { raw: { ...size, channels: 1 } })
      .png()
      .toBuffer();
    const form = await client.images.edit({
      ...{ model: 'nb2', prompt: 'a fox', size: '1024x1024' },
      image: await toFile(original, 'a.png', { type: 'image/png' }),
      mask: await toFile(mask, 'mask.png', { type: 'image/png' }),
    });
    const data = (image: Buffer) => ({ image_url: `data:image/png;base64,${image.toString('base64')}` });
    const json = await client.post<OpenAI.ImagesResponse>('/images/edits', {
      body: { model: 'nb2', prompt: 'a fox', size: '1024x1024', images: [data(original)], mask: data(mask) },
    });
    for (const answer of [form, json]) {
      const file = Buffer.from(answer.data?.[0]?.b64_json ?? '', 'base64');
      const far = await difference(file, (at) => at % size.width < 512);
      assert.ok(far.outside <= 2 && far.inside <= 2, JSON.stringify(far));
    }
  });

  test("from OpenAI's clients is refused if it has no transparency", async () => {
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 });
    const asked = painter.requests.length;
    const drawn = await drawMask([[0, 0, 512, 1024]]);
    for (const mask of [drawn, await sharp(drawn).ensureAlpha().png().toBuffer()]) {
      const editing = client.images.edit({
        ...{ model: 'nb2', prompt: 'a fox', size: '1024x1024' },
        image: await toFile(original, 'a.png', { type: 'image/png' }),
        mask: await toFile(mask, 'mask.png', { type: 'image/png' }),
      });
      await assert.rejects(editing, { status: 400, param: 'mask', message: /no transparency/ });
    }
    assert.equal(painter.requests.length, asked);
  });

  test('from an assistant is named by its URL, next to the images', async () => {
    const mask = await upload(await drawMask([[0, 0, 512, 1024]]));
    const asked = { model: 'nb2', prompt: 'a fox', aspect_ratio: '1:1', images: [originalUrl], mask };
    const answer = await fetch(`${world.url}/mcp`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'generate_image', arguments: asked },
      }),
    });
    const [, url = ''] = /"image_url":"([^"]+)"/.exec(await answer.text()) ?? [];
    const file = Buffer.from(await (await fetch(url)).arrayBuffer());
    const far = await difference(file, (at) => at % size.width < 512);
    assert.ok(far.outside <= 2 && far.inside <= 2, JSON.stringify(far));
  });

  test('is refused before anything is reserved if it has another shape, is not an image, or no route supports it', async () => {
    const wide = await upload(await drawMask([[0, 0, 10, 10]], { width: 300, height: 200 }));
    const mask = await upload(await drawMask([[0, 0, 10, 10]]));
    const body = { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls: [originalUrl] };
    const refuse = (path: string, fields: object, code: 'inputs_unusable' | 'invalid_request') =>
      assertRefused(world, () => world.send('POST', path, { body: { ...body, ...fields } }), 422, code);
    const placeOf = (refused: { body: Record<string, unknown> }) =>
      (refused.body.errors as { pointer: string; code?: string }[]).map(({ pointer, code }) => [
        pointer,
        code,
      ]);
    const misshapen = await refuse('/nb2/url-generations', { mask_url: wide }, 'inputs_unusable');
    assert.deepEqual(placeOf(misshapen), [['/mask_url', 'mask_misshapen']]);
    const url = 'http://10.0.0.1/m.png';
    const fields = { input_images_urls: [url], mask_url: url };
    const blocked = await refuse('/nb2/url-generations', fields, 'inputs_unusable');
    assert.deepEqual(placeOf(blocked), [
      ['/input_images_urls/0', 'input_blocked'],
      ['/mask_url', 'input_blocked'],
    ]);
    const unable = await refuse('/nb/url-generations', { mask_url: mask }, 'invalid_request');
    assert.match(
      String(unable.body.detail),
      /The model nb makes nothing with a mask here\. Models that can: nb2\./,
    );
    assert.deepEqual(placeOf(unable), [['/mask_url', undefined]]);
    await assertRefused(
      world,
      () =>
        world.send('POST', '/nb2/text-generations', {
          body: { prompt: 'a', aspect_ratio: '1:1', mask_url: mask },
        }),
      422,
      'invalid_request',
    );
    const { body: models } = await world.send('GET', '/models');
    assert.deepEqual(
      (models.data as { masks: boolean }[]).map(({ masks }) => masks),
      [false, true, false],
    );
  });

  test('of an image that is one pixel wide works in the widest frame', async () => {
    const thin = { width: 1, height: 3072 };
    const background = { r: 20, g: 40, b: 60 };
    const image = await sharp({ create: { ...thin, channels: 3, background } })
      .png()
      .toBuffer();
    const { job, file } = await edit(await upload(await drawMask([], thin)), {
      input_images_urls: [await upload(image)],
      aspect_ratio: '8:1',
      resolution: '4K',
    });
    assert.equal(job.status, 'done');
    const { channels } = await sharp(file).stats();
    assert.deepEqual(
      channels.map(({ min, max }) => [min, max]),
      Object.values(background).map((value) => [value, value]),
    );
  });

  test('is deleted with the image, and can be part of a batch’s requests', async () => {
    const mask = await upload(await drawMask([[0, 0, 512, 1024]]));
    const body = { prompt: 'a fox', aspect_ratio: '1:1', input_images_urls: [originalUrl], mask_url: mask };
    const request = { model: 'nb2', mode: 'url', body };
    const { body: batch } = await world.send('POST', '/batches', { body: { requests: [request] } });
    const { body: list } = await world.send('GET', `/jobs?batch_id=${batch.batch_id}`);
    const [{ job_id: jobId = '' } = {}] = list.data as { job_id: string }[];
    const { mask_url: url } = await world.finished(jobId);
    assert.equal((await fetch(String(url))).status, 200);
    assert.equal((await world.send('DELETE', `/jobs/${jobId}/image`)).status, 204);
    assert.equal((await fetch(String(url))).status, 410);
    const { body: after } = await world.send('GET', `/jobs/${jobId}`);
    assert.equal(after.mask_url, undefined);
  });

  test('costs nothing if the upstream ignores a transparent background', async () => {
    const { available } = await world.balance();
    const mask = await upload(await drawMask([[0, 0, 512, 1024]]));
    const id = await world.create('/nb2/url-generations', {
      ...{ aspect_ratio: '1:1', input_images_urls: [originalUrl], mask_url: mask },
      background: 'transparent',
    });
    const { status, error } = await world.finished(id);
    assert.deepEqual([status, error], ['failed', 'The image model made no transparent background.']);
    assert.equal((await world.balance()).available, available);
  });

  test('costs nothing if the upstream fails', async () => {
    const { handler } = painter;
    painter.handler = () => Promise.reject(new ProviderError('safety_blocked', 'No.'));
    const { available } = await world.balance();
    const mask = await upload(await drawMask([[0, 0, 512, 1024]]));
    const id = await world.create('/nb2/url-generations', {
      ...{ aspect_ratio: '1:1', input_images_urls: [originalUrl], mask_url: mask },
    });
    assert.equal((await world.finished(id)).status, 'failed');
    painter.handler = handler;
    assert.equal((await world.balance()).available, available);
  });
});
