import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { measureTurns } from '../../http/support/turns.ts';
import { difference, draw, sketch } from './support.ts';

const sizes: Record<string, readonly [number, number]> = {
  '1:1': [1024, 1024],
  '2:3': [848, 1264],
  '3:2': [1264, 848],
  '3:4': [896, 1200],
  '4:3': [1200, 896],
  '4:5': [928, 1152],
  '5:4': [1152, 928],
  '9:16': [768, 1376],
  '16:9': [1376, 768],
  '21:9': [1584, 672],
  '1:4': [512, 2048],
  '4:1': [2048, 512],
  '1:8': [384, 3072],
  '8:1': [3072, 384],
};
const prompt = 'A lighthouse by the sea at dusk, pine forest, mountains, a red boat and "Hello"';

test('every ratio that it claims has exactly the requested pixels', async () => {
  assert.deepEqual(Object.keys(sizes).toSorted(), [...sketch.capabilities.ratios].toSorted());
  for (const [aspectRatio, [width, height]] of Object.entries(sizes)) {
    const image = await sharp(await draw(prompt, { aspectRatio, width, height })).metadata();
    assert.deepEqual(
      [image.format, image.width, image.height, image.channels],
      ['png', width, height, 3],
      aspectRatio,
    );
  }
});

test('2K and 4K have exactly the requested pixels, and the event loop stays free while they are drawn', async (t) => {
  await draw('warm up');
  using turns = measureTurns();
  let ticks = 0;
  const ticking = setInterval(() => (ticks += 1), 10);
  const all: readonly (readonly [number, number])[] = [
    [2752, 1536],
    [5504, 3072],
    [12288, 1536],
  ];
  for (const [width, height] of all) {
    const start = performance.now();
    const bytes = await draw(prompt, { width, height });
    const tookMs = performance.now() - start;
    const image = await sharp(bytes, { limitInputPixels: false }).metadata();
    assert.deepEqual([image.width, image.height], [width, height]);
    t.diagnostic(`${width}x${height}: ${tookMs.toFixed(0)} ms, ${(bytes.length / 1e6).toFixed(1)} MB`);
  }
  clearInterval(ticking);
  assert.ok(ticks > 20, `${ticks} turns of a timer while seconds of drawing passed`);
  // In processor time, because a shared machine may take the only core away for longer.
  const longestMs = await turns.longestMs();
  t.diagnostic(`the longest turn of the event loop took ${longestMs.toFixed(0)} ms`);
  assert.ok(longestMs < 150, `${longestMs} ms`);
});

test('the same prompt and size make the same bytes', async () => {
  for (const words of [prompt, 'abstract shapes', 'unknowable gobbledygook']) {
    assert.ok((await draw(words)).equals(await draw(words)), words);
  }
});

test('directives and white space do not change the image', async () => {
  assert.ok((await draw('a fox in the  woods [[delay:1ms]]')).equals(await draw('a fox in the woods')));
});

test('different prompts make visibly different images, known words or not', async () => {
  const prompts = [
    'a fox in a forest at noon',
    'city at night',
    'stormy sea',
    'xyzzy plugh',
    'quarterly figures',
    'lorem ipsum',
  ];
  const images = await Promise.all(prompts.map((words) => draw(words)));
  for (const [index, image] of images.entries()) {
    for (const [other, against] of images.entries()) {
      if (index < other)
        assert.ok((await difference(image, against)) > 8, `${prompts[index]} / ${prompts[other]}`);
    }
  }
});

test('the prompt’s words are visible: night is darker than noon, green is greener than red', async () => {
  const mean = async (words: string) =>
    (await sharp(await draw(words)).stats()).channels.map((channel) => channel.mean);
  const [night = 0] = await mean('mountains at night');
  const [noon = 0] = await mean('mountains at noon');
  assert.ok(night + 40 < noon, `night ${night}, noon ${noon}`);
  const [redOfRed = 0, greenOfRed = 0] = await mean('red mountains at noon');
  const [redOfGreen = 0, greenOfGreen = 0] = await mean('green mountains at noon');
  assert.ok(redOfRed - greenOfRed > redOfGreen - greenOfGreen + 20);
});

test('lettering in quotes is drawn, without any font', async () => {
  assert.ok((await difference(await draw('sea at night "HELLO"'), await draw('sea at night "....."'))) > 0.5);
});

test('even prompts that are odd in every way make an image', async () => {
  const odd = [
    '',
    '   ',
    '"',
    '""',
    '<svg>&amp;"<b>&</b>"',
    '🦊🌊',
    'constructor __proto__ toString',
    '狐狸在森林里',
    'x'.repeat(32_768),
    '"W" '.repeat(400),
  ];
  for (const words of odd) {
    const image = await sharp(await draw(words, { width: 384, height: 3072 })).metadata();
    assert.equal(image.width, 384, words.slice(0, 20));
  }
});

test('auto: it suggests a shape if the subject calls for one, and otherwise none', () => {
  assert.equal(sketch.suggestRatio?.('A panorama of the Alps'), '21:9');
  assert.equal(sketch.suggestRatio?.('lighthouse'), '3:4');
  assert.equal(sketch.suggestRatio?.('Eiffel Tower [[delay:1s]]'), '2:3');
  assert.equal(sketch.suggestRatio?.('something else entirely'), undefined);
  for (const words of ['banner', 'phone', 'logo', 'skyline', 'beach']) {
    assert.ok(sketch.capabilities.ratios.includes(sketch.suggestRatio?.(words) ?? ''), words);
  }
});
