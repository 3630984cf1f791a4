import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { seeded } from '../../server/faults/random.ts';
import { keysOfResult } from '../../server/src/images/renditions.ts';
import { eventually } from '../../server/test/http/support/requests.ts';
import { openPanel, type Panel, skip } from './support.ts';
import { watchLoad } from './vitals.ts';

/** The maximum number of bytes that a page with twelve images may load, everything included, with an empty cache. */
const maxHomeBytes = 300_000;
/** The maximum number of bytes for each image that is scrolled past. */
const maxBytesAImage = 20_000;
const scrolled = 60;

suite('the weight of pages', { skip }, () => {
  test('Home with twelve images is under 300 kB, and loads none of them again, whatever the hour', async () => {
    await using panel = await openPanel();
    await fill(panel, 12, ['1:1', '16:9']);
    const page = await panel.operator();
    const cold = await panel.visitor();
    await cold.context().addCookies(await page.context().cookies());
    const load = await watchLoad(cold);
    const asked: string[] = [];
    cold.on('request', (request) => asked.push(request.url()));
    await cold.goto(panel.at());
    await cold.waitForFunction(allShown);
    const opened = await eventually(
      async () => load(),
      ({ images }) => images === 12,
    );
    assert.ok(opened.bytes < maxHomeBytes, `${opened.bytes} bytes, ${opened.imageBytes} of them images`);
    // The page requests no larger renditions, which the server would have to make first.
    assert.deepEqual([asked.filter(isLarger), await cold.evaluate(() => devicePixelRatio)], [[], 1]);

    // After two hours, the server signs other links.
    panel.world.clock.advance(2 * 60 * 60_000);
    await cold.getByRole('link', { name: 'Balance', exact: true }).click();
    await cold.getByRole('heading', { name: 'Balance' }).waitFor();
    const refreshed = cold.waitForResponse(/\/overview$/);
    await cold.getByRole('link', { name: 'Home', exact: true }).click();
    const { latest_images } = await (await refreshed).json();
    await cold.waitForFunction(allShown);
    const shown = await cold.locator('main img').first().getAttribute('src');
    assert.notEqual(`${latest_images[0].image_url}&w=256`, shown);
    assert.equal(load().images, 12);
  });

  test('a long list loads its images only in the size in which it shows them', async () => {
    await using panel = await openPanel();
    await fill(panel, scrolled, ['1:1']);
    const page = await panel.operator();
    const load = await watchLoad(page);
    await page.goto(panel.at('/jobs'));
    await page.locator('main img').first().waitFor();
    const seen = new Set<string>();
    while (seen.size < scrolled) {
      const sources = await page.evaluate(() => {
        // Images that were scrolled past before they had loaded are checked in the next round.
        const isAtEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 1;
        window.scrollTo(0, isAtEnd ? 0 : window.scrollY + 500);
        return [...document.images].flatMap((image) => (image.complete ? image.src : []));
      });
      for (const source of sources) seen.add(source);
    }
    const { imageBytes, images } = load();
    assert.ok(images <= scrolled, `${images} came`);
    assert.ok(imageBytes < scrolled * maxBytesAImage, `${imageBytes} bytes in ${images} images`);

    // At this width, images need the next larger size.
    await page.setViewportSize({ width: 1920, height: 900 });
    await page.waitForFunction(areSharp);
    // A machine that draws two frames per second has passed all images before the scrolling counts as fast.
    await eventually(
      async () => {
        await page.evaluate(() => window.scrollTo(0, 0));
        await page.reload();
        await page.waitForFunction(areSharp);
        return scrollFast(page);
      },
      (count) => count > 0,
    );
    await page.waitForFunction(areSharp);
  });
});

function isLarger(url: string): boolean {
  return /&w=(?!256$)/.test(url);
}

/** Runs in the page. */
function allShown(): boolean {
  const images = [...document.querySelectorAll<HTMLImageElement>('main img')];
  return images.length === 12 && images.every(({ complete }) => complete);
}

/** Runs in the page: whether all images in sight have as many pixels as their place. */
function areSharp(): boolean {
  const images = [...document.querySelectorAll<HTMLImageElement>('main img')];
  return images.every(({ complete, currentSrc }) => complete && currentSrc.endsWith('w=768'));
}

function scrollFast(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const began = performance.now();
        let last = began;
        let small = 0;
        const step = (now: number) => {
          window.scrollBy(0, (now - last) * 4);
          last = now;
          const images = [...document.querySelectorAll<HTMLImageElement>('main img')];
          small = Math.max(small, images.filter(({ currentSrc }) => currentSrc.endsWith('w=256')).length);
          if (now - began < 2_000) requestAnimationFrame(step);
          else resolve(small);
        };
        requestAnimationFrame(step);
      }),
  );
}

async function fill(panel: Panel, count: number, shapes: readonly ('1:1' | '16:9')[]): Promise<void> {
  const bytes = await busyImage();
  const wide = await sharp(bytes).resize(1376, 768).png().toBuffer();
  panel.world.provider.handler = async ({ width, height }) => ({ bytes: width > height ? wide : bytes });
  const ids = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      panel.world.create(undefined, {
        prompt: `number ${index}`,
        aspect_ratio: shapes[index % shapes.length],
      }),
    ),
  );
  for (const id of ids) await panel.world.finished(id);
  for (const shape of shapes.keys())
    await copyRenditions(
      panel,
      ids.filter((_, index) => index % shapes.length === shape),
    );
}

/** Copies the renditions of the first image to all others, so that they are made once. */
async function copyRenditions({ world }: Panel, ids: string[]): Promise<void> {
  const { images } = world.app;
  const [original = ''] = ids;
  const { result } = await world.finished(original);
  // A request for one of the larger renditions makes them all.
  assert.equal((await fetch(`${(result as { image_url: string }).image_url}&w=1600`)).status, 200);
  for (const key of keysOfResult(`results/${original}/1.png`).slice(1)) {
    const stored = await images.get(key);
    const copy = Buffer.concat(await Array.fromAsync(stored?.body ?? []));
    for (const id of ids.slice(1))
      await images.put(key.replace(original, id), copy, { mediaType: 'image/webp', bytes: copy.length });
  }
}

async function busyImage(): Promise<Buffer> {
  const size = { width: 1024, height: 1024 };
  const { next: random } = seeded(1);
  // The same grain each time, so that sizes do not vary. The sum of three random numbers is nearly normally
  // distributed.
  const noise = (side: number, sigma: number) => {
    const values = Uint8Array.from(
      { length: side * side * 3 },
      () => 128 + 2 * sigma * (random() + random() + random() - 1.5),
    );
    return sharp(values, { raw: { width: side, height: side, channels: 3 } })
      .png()
      .toBuffer();
  };
  const grain = await sharp(await noise(512, 12))
    .resize(size)
    .png()
    .toBuffer();
  return sharp(await noise(16, 60))
    .resize({ ...size, kernel: 'cubic' })
    .composite([{ input: grain, blend: 'soft-light' }])
    .removeAlpha()
    .png()
    .toBuffer();
}
