import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import sharp from 'sharp';
import { createGemini } from '../../src/upstream/providers/gemini/gemini.ts';
import { pickList, pickText } from '../../src/upstream/providers/pick.ts';
import type { InputImage } from '../../src/upstream/providers/provider.ts';
import { geminiKey, geminiReplies, startGemini } from '../emulators/gemini.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { closing, failureOf, guard, input, inputs, request, run } from './requests.ts';

const model = 'gemini-nano-banana-2.1';
const mb = 1024 * 1024;

/** Noise hardly compresses, so the file size depends on the number of pixels. */
async function noise(side: number): Promise<InputImage> {
  const raw = randomBytes(side * side * 3);
  const bytes = await sharp(raw, { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  return input(bytes, { mediaType: 'image/png', width: side, height: side });
}

it('14 inputs of 40 MB in all reach the Gemini API unchanged', async () => {
  await using emulator = await startGemini();
  const all = await Promise.all(Array.from({ length: 14 }, () => noise(998)));
  const total = all.reduce((sum, each) => sum + each.bytes, 0);
  assert.ok(total > 39 * mb && total < 40 * mb, `${total} bytes`);
  await using ours = closing({
    provider: createGemini({ model, baseUrl: emulator.url }, { apiKey: geminiKey }, guard),
  });
  await ours.provider.generate(request({ inputs: all }), run({ signal: AbortSignal.timeout(120_000) }));
  const sent = sentImages(emulator.of('generate')[0]?.json());
  const bodies = await Promise.all(
    all.map(async (each) => Buffer.concat(await (await each.read()).toArray())),
  );
  assert.deepEqual(
    sent.map(({ data }) => data.length),
    bodies.map((bytes) => bytes.length),
  );
  assert.ok(
    sent.every(({ data }, n) => bodies[n]?.equals(data)),
    'in the order of the client',
  );
});

it('on Vertex AI an input over 7 MB is re-encoded, and a smaller one stays unchanged', async () => {
  await using emulator = await startGemini();
  const large = await noise(3000);
  const [small] = await inputs(1);
  assert.ok(small && large.bytes > 25 * mb);
  const { serviceAccount } = emulator;
  await using ours = closing({
    provider: createGemini({ model, baseUrl: emulator.url }, { serviceAccount }, guard),
  });
  await ours.provider.generate(
    request({ inputs: [large, small] }),
    run({ signal: AbortSignal.timeout(120_000) }),
  );
  const [first, second] = sentImages(emulator.of('generate')[0]?.json());
  assert.ok(first && second);
  const { format, width = 0, height = 0 } = await sharp(first.data).metadata();
  assert.equal(first.mimeType, `image/${format}`);
  assert.ok(width === height && width > 1000, `${width} pixels wide`);
  assert.equal(second.data.length, small.bytes);
});

it('on Vertex AI a token is used until it expires, and a refused one is replaced', async () => {
  await using emulator = await startGemini();
  const { serviceAccount } = emulator;
  await using ours = closing({
    provider: createGemini({ model, baseUrl: emulator.url }, { serviceAccount }, guard),
  });
  await ours.provider.generate(request(), run());
  await ours.provider.generate(request(), run());
  assert.equal(emulator.of('token').length, 1);
  emulator.answer('generate', geminiReplies.error(401, 'UNAUTHENTICATED', 'expired'));
  assert.equal((await failureOf(ours.provider.generate(request(), run()))).kind, 'auth');
  await ours.provider.generate(request(), run());
  assert.equal(emulator.of('token').length, 2);
});

it('on Vertex AI a revoked account is auth, and an invalid file is reported at once', async () => {
  await using emulator = await startGemini();
  emulator.always('token', {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
  });
  const { serviceAccount } = emulator;
  await using ours = closing({
    provider: createGemini({ model, baseUrl: emulator.url }, { serviceAccount }, guard),
  });
  assert.equal((await failureOf(ours.provider.generate(request(), run()))).kind, 'auth');
  assert.throws(
    () => createGemini({ model }, { serviceAccount: { type: 'authorized_user' } }, guard),
    /key file of a service account/,
  );
  assert.throws(() => createGemini({ model }, {}, guard), /needs an API key .* or a service account/);
});

it('gemini takes the last image that is not a thought', async () => {
  await using emulator = await startGemini();
  const part = async (colour: string, more = {}) => {
    const data = (await sampleImage({ width: 8, height: 8, colour })).toString('base64');
    return { inlineData: { mimeType: 'image/png', data }, ...more };
  };
  const wanted = await part('#00ff00');
  const parts = [
    await part('#ff0000', { thought: true }),
    await part('#ffff00'),
    { text: 'Here.' },
    wanted,
    await part('#0000ff', { thought: true }),
  ];
  emulator.always('generate', geminiReplies.parts(parts));
  await using ours = closing({
    provider: createGemini({ model, baseUrl: emulator.url }, { apiKey: geminiKey }, guard),
  });
  const made = await ours.provider.generate(request(), run());
  assert.equal(Buffer.from(made.bytes).toString('base64'), wanted.inlineData.data);
});

it('gemini 2.5 gets no size that it does not know', async () => {
  await using emulator = await startGemini();
  const settings = { model: 'gemini-2.5-flash-image', baseUrl: emulator.url };
  await using ours = closing({ provider: createGemini(settings, { apiKey: geminiKey }, guard) });
  assert.deepEqual(
    [ours.provider.capabilities.resolutions, ours.provider.capabilities.maxInputs],
    [['1K'], 3],
  );
  await ours.provider.generate(request({ aspectRatio: '3:2' }), run());
  const sent = emulator.of('generate')[0]?.json();
  assert.deepEqual(Object(sent).generationConfig, {
    responseModalities: ['IMAGE'],
    imageConfig: { aspectRatio: '3:2' },
  });
});

it('an input that cannot be read fails with the store’s own error, not with the provider’s', async () => {
  await using emulator = await startGemini();
  const [good] = await inputs(1);
  assert.ok(good);
  const away = { ...good, read: () => Promise.reject(new Error('the store is away')) };
  await using ours = closing({
    provider: createGemini({ model, baseUrl: emulator.url }, { apiKey: geminiKey }, guard),
  });
  await assert.rejects(ours.provider.generate(request({ inputs: [away] }), run()), /the store is away/);
});

function sentImages(body: unknown): { mimeType: string | undefined; data: Buffer }[] {
  const images = pickList(body, 'contents', 0, 'parts').slice(1);
  return images.map((part) => ({
    mimeType: pickText(part, 'inlineData', 'mimeType'),
    data: Buffer.from(pickText(part, 'inlineData', 'data') ?? '', 'base64'),
  }));
}
