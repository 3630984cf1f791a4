import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { layOut } from '../../../../sketch/src/edit/layout.ts';
import { context, difference, draw, inputOf, request, shareOf, sketch, solid } from './support.ts';

const colours: readonly (readonly [string, readonly [number, number, number]])[] = [
  ['#d02020', [208, 32, 32]],
  ['#20a040', [32, 160, 64]],
  ['#2040c0', [32, 64, 192]],
  ['#e0c020', [224, 192, 32]],
  ['#902090', [144, 32, 144]],
];

test('every input is visible, in every layout and every shape of sheet', async () => {
  const inputs = await Promise.all(colours.map(([colour]) => solid(colour)));
  for (const [width, height] of [
    [800, 600],
    [384, 3072],
    [3072, 384],
  ] as const) {
    for (const prompt of ['', 'side by side', 'stack', 'grid', 'polaroids', 'combine them']) {
      const image = await draw(prompt, { width, height, inputs });
      for (const [name, rgb] of colours) {
        const share = await shareOf(image, rgb);
        assert.ok(share > 0.012, `${prompt} ${width}x${height}: ${name} covers ${share}`);
      }
    }
  }
});

test('one to fourteen inputs make exactly the requested pixels', async () => {
  const one = await solid('#2040c0');
  for (const count of [1, 2, 7, 14]) {
    for (const [width, height] of [
      [512, 512],
      [384, 3072],
      [3072, 384],
    ] as const) {
      const image = await sharp(
        await draw('mix', { width, height, inputs: Array.from({ length: count }, () => one) }),
      ).metadata();
      assert.deepEqual([image.width, image.height, image.format], [width, height, 'png'], `${count} inputs`);
    }
  }
});

test('cells are on the sheet and never overlap', () => {
  for (const layout of ['auto', 'row', 'column', 'grid', 'polaroids'] as const) {
    for (let count = 1; count <= 14; count++) {
      const inputs = Array.from({ length: count }, (_, index) => ({
        width: 100 + 90 * (index % 4),
        height: 100 + 60 * (index % 3),
      }));
      const cells = layOut(layout, inputs, { width: 3072, height: 384 }, 6);
      assert.equal(cells.length, count);
      cells.forEach((cell, index) => {
        assert.ok(
          cell.left >= 0 && cell.top >= 0 && cell.left + cell.width <= 3072 && cell.top + cell.height <= 384,
        );
        for (const other of cells.slice(index + 1)) {
          const apart =
            other.left >= cell.left + cell.width ||
            other.top >= cell.top + cell.height ||
            other.left + other.width <= cell.left;
          assert.ok(apart, `${layout} of ${count}`);
        }
      });
    }
  }
});

test('grayscale is gray in every pixel', async () => {
  const image = await draw('make it black and white', { inputs: [await solid('#d02020')] });
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  assert.equal(info.channels, 3);
  for (let at = 0; at < data.length; at += 3)
    assert.ok(data[at] === data[at + 1] && data[at] === data[at + 2]);
});

test('flip, mirror and rotate move the image accordingly', async () => {
  const left = await sharp({ create: { width: 200, height: 200, channels: 3, background: '#ffffff' } })
    .composite([
      { input: { create: { width: 100, height: 100, channels: 3, background: '#d02020' } }, left: 0, top: 0 },
    ])
    .png()
    .toBuffer();
  const corner = async (prompt: string) => {
    const image = await draw(prompt, { width: 200, height: 200, inputs: [inputOf(left, 200, 200)] });
    const { data } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
    const red = (x: number, y: number) => (data[(y * 200 + x) * 3 + 1] ?? 255) < 100;
    return [red(40, 40), red(160, 40), red(40, 160), red(160, 160)].map(Number).join('');
  };
  assert.equal(await corner('keep'), '1000');
  assert.equal(await corner('mirror it'), '0100');
  assert.equal(await corner('flip it'), '0010');
  assert.equal(await corner('rotate 90'), '0100');
  assert.equal(await corner('rotate by 180 degrees'), '0001');
});

test('each known word changes the image, and unknown ones do not', async () => {
  const bytes = await draw('lighthouse and a red boat at noon', { width: 512, height: 512 });
  const inputs = [inputOf(bytes, 512, 512)];
  assert.ok((await difference(bytes, await draw('hmm', { inputs }))) < 0.5);
  const orders = [
    'blur',
    'pixelate',
    'invert',
    'sepia',
    'brighter',
    'darker',
    'make it night',
    'tint it purple',
    'add snow',
    'add a moon',
    'white frame',
    'caption "HELLO THERE"',
    'add a cat',
    'rotate by 10 degrees',
  ];
  for (const prompt of orders) {
    const changed = await difference(bytes, await draw(prompt, { inputs }));
    assert.ok(changed > 0.5, `${prompt} changed ${changed}`);
  }
});

test('what the prompt speaks of as being in the image is not drawn again', async () => {
  const bytes = await draw('lighthouse and a red boat at noon', { width: 512, height: 512 });
  const inputs = [inputOf(bytes, 512, 512)];
  const changed = async (prompt: string) => difference(bytes, await draw(prompt, { inputs }));
  for (const prompt of [
    'keep the lighthouse',
    'the old red boat',
    'remove the cat',
    'no fox, without my dog',
    'remove a cat, without a fox or any of the two dogs',
  ])
    assert.ok((await changed(prompt)) < 0.5, prompt);
  for (const prompt of ['a fox beside the lighthouse', 'the boat with two dogs', 'add the fox'])
    assert.ok((await changed(prompt)) > 0.5, prompt);
  const beside = (what: string) => draw(`flowers beside ${what}`, { inputs, fields: { seed: 1 } });
  const coloured = await difference(await beside('the boat'), await beside('the red boat'));
  assert.ok(coloured < 0.1, 'the colour is the boat’s, not that of the flowers');
});

test('transparent and gray inputs are accepted', async () => {
  const clear = await sharp({ create: { width: 50, height: 90, channels: 4, background: '#20a04000' } })
    .png()
    .toBuffer();
  const gray = await sharp({ create: { width: 90, height: 50, channels: 3, background: '#808080' } })
    .grayscale()
    .png()
    .toBuffer();
  const inputs = [inputOf(clear, 50, 90), inputOf(gray, 90, 50)];
  for (const prompt of ['', 'polaroids', 'night']) {
    const image = await sharp(await draw(prompt, { inputs })).metadata();
    assert.deepEqual([image.width, image.height, image.channels], [512, 512, 3]);
  }
  for (const input of inputs)
    assert.equal((await sharp(await draw('', { inputs: [input] })).metadata()).channels, 3);
});

test('an input that is not an image is the client’s mistake', async () => {
  const inputs = [inputOf(Buffer.from('not an image'), 10, 10)];
  await assert.rejects(sketch.generate(request('', { inputs }), context()), { kind: 'invalid_input' });
});
