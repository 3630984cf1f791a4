import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import { draw, findProtocol } from '../src/images/draw.ts';
import { readPng } from '../src/images/png.ts';

const [width, height] = [800, 400];
/** An image that is red on the left, blue on the right, and darker towards the bottom. */
const raw = Buffer.from(
  Array.from({ length: width * height }, (_, at) => {
    const light = 255 - Math.floor((Math.floor(at / width) / height) * 128);
    return at % width < width / 2 ? [light, 0, 0] : [0, 0, light];
  }).flat(),
);
const image = () => sharp(raw, { raw: { width, height, channels: 3 } });

test('every kind of PNG that models make is read as sharp reads it', async () => {
  const kinds = {
    filtered: image().png({ adaptiveFiltering: true }),
    alpha: image().ensureAlpha().png(),
    grey: image().greyscale().png(),
  };
  for (const [name, kind] of Object.entries(kinds)) {
    const file = await kind.toBuffer();
    const expected = await sharp(file).removeAlpha().toColourspace('srgb').raw().toBuffer();
    assert.deepEqual(Buffer.from(readPng(file)?.rgb ?? []), expected, name);
  }
});

test('a file that cannot be read as PNG is not shown', async () => {
  const png = await image().png().toBuffer();
  const others = [
    Buffer.from('no image'),
    await image().webp().toBuffer(),
    await image().png({ palette: true }).toBuffer(),
    png.subarray(0, png.length / 2),
    Buffer.concat([png.subarray(0, 16), Buffer.from([255, 255, 255, 255]), png.subarray(20)]),
  ];
  for (const file of others)
    for (const how of ['kitty', 'iterm2', 'sixel'] as const) assert.equal(draw(file, how), undefined);
});

suite('terminals', () => {
  const sent = async (how: 'kitty' | 'iterm2' | 'sixel') =>
    readable(draw(await image().png().toBuffer(), how) ?? '');

  test('kitty gets a small PNG in pieces that say whether another follows', async () => {
    const pieces = [...(await sent('kitty')).matchAll(/¬_G([^;]*);([^¬]{1,4096})¬\\/g)];
    const [first] = pieces;
    assert.equal(first?.[1], `a=T,f=100,q=2,c=60,m=${pieces.length > 1 ? 1 : 0}`);
    assert.ok(pieces.slice(1).every(([, keys], at) => keys === `m=${at < pieces.length - 2 ? 1 : 0}`));
    await isImage(Buffer.from(pieces.map(([, , data]) => data).join(''), 'base64'));
  });

  test('iTerm2 gets the image in one piece', async () => {
    const [, size, data = ''] =
      /^¬\]1337;File=inline=1;size=(\d+);width=60;preserveAspectRatio=1:([^¦]+)¦\n$/.exec(
        await sent('iterm2'),
      ) ?? [];
    const bytes = Buffer.from(data, 'base64');
    assert.equal(bytes.length, Number(size));
    await isImage(bytes);
  });

  test('other terminals get sixels of the same colours', async () => {
    const { pixels, width, height } = readSixels(await sent('sixel'));
    assert.deepEqual([width, height], [640, 320]);
    const buffer = Buffer.from(pixels);
    await isImage(
      await sharp(buffer, { raw: { width, height, channels: 3 } })
        .png()
        .toBuffer(),
    );
  });

  test('the environment tells which terminal it is', () => {
    const cases: [NodeJS.ProcessEnv, string | undefined][] = [
      [{ TERM: 'xterm-kitty' }, 'kitty'],
      [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
      [{ TERM_PROGRAM: 'ghostty' }, 'kitty'],
      [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
      [{ LC_TERMINAL: 'iTerm2', TERM: 'xterm' }, 'iterm2'],
      [{ TERM: 'foot' }, 'sixel'],
      [{ TERM: 'xterm', KONSOLE_VERSION: '230400' }, 'sixel'],
      [{ TERM: 'xterm-256color' }, undefined],
      [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux' }, undefined],
      [{}, undefined],
    ];
    for (const [env, protocol] of cases) assert.equal(findProtocol(env), protocol, JSON.stringify(env));
  });
});

/** Shows escape and bell as characters that do not occur in these images. */
function readable(text: string): string {
  return text.replaceAll('\x1b', '¬').replaceAll('\x07', '¦');
}

async function isImage(file: Buffer): Promise<void> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  assert.deepEqual([info.width, info.height], [640, 320]);
  const mean = (left: number, top: number) => {
    const sums = [0, 0, 0];
    for (let y = top; y < top + 40; y++)
      for (let x = left; x < left + 40; x++)
        for (const channel of [0, 1, 2])
          sums[channel] = (sums[channel] ?? 0) + (data[(y * 640 + x) * 3 + channel] ?? 0);
    return sums.map((sum) => sum / 1_600);
  };
  for (const [place, wanted] of [
    [mean(100, 0), [247, 0, 0]],
    [mean(500, 0), [0, 0, 247]],
    [mean(100, 280), [135, 0, 0]],
  ] as const)
    for (const [at, value] of wanted.entries())
      assert.ok(Math.abs((place[at] ?? 0) - value) < 10, `${place} is not ${wanted}`);
}

/**
 * Reads sixels as a terminal does: colours in per cent, six rows per band, `!` repeats, `$` returns to the
 * left, `-` moves down.
 */
function readSixels(text: string) {
  const [, size = '', body = ''] = /^¬Pq"1;1;([\d;]+)#(.*)¬\\\n$/s.exec(text) ?? [];
  const [width = 0, height = 0] = size.split(';').map(Number);
  const pixels = new Uint8Array(width * height * 3);
  const palette = new Map<number, number[]>();
  let [x, top, colour] = [0, 0, 0];
  for (const [token, command, count = '1', sign] of `#${body}`
    .matchAll(/#(\d+(?:;2;[\d.]+;[\d.]+;[\d.]+)?)|!(\d+)(.)|[$-]|(.)/g)
    .map(([all, one, two, three, four]) => [all, one, two, three ?? four] as const)) {
    if (command !== undefined) {
      const [index = 0, , ...parts] = command.split(';').map(Number);
      if (parts.length > 0)
        palette.set(
          index,
          parts.map((part) => part * 2.55),
        );
      else colour = index;
    } else if (token === '$') x = 0;
    else if (token === '-') [x, top] = [0, top + 6];
    else {
      const bits = (sign?.charCodeAt(0) ?? 63) - 63;
      for (let times = Number(count); times > 0; times--, x++)
        for (let row = 0; row < 6; row++)
          if (bits & (1 << row)) pixels.set(palette.get(colour) ?? [], ((top + row) * width + x) * 3);
    }
  }
  return { pixels, width, height };
}
