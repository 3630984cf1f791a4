import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { TestProvider } from '../../server/test/world/provider.ts';
import { testRoutes } from '../../server/test/world/world.ts';
import { assertFits, check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';
import { within } from './within.ts';

const green = { r: 20, g: 160, b: 60 };
const red = { r: 220, g: 30, b: 40 };

suite('a part of an image', { skip }, () => {
  test('is painted over and changed in four clicks, and the rest stays; the image is extended and compared with the original', async () => {
    await using panel = await openPainter();
    const { made, page } = panel;
    await page.goto(panel.at(`/jobs?show=${made}`));
    await within(page, 4, async (click) => {
      await click(page.getByRole('button', { name: 'Edit', exact: true }));
      await paint(page, [0.3, 0.5], [0.7, 0.5]);
      await click();
      await page.getByLabel('Prompt').fill('a red scarf');
      await click(page.getByRole('button', { name: 'Make image · 0.04 USD' }));
      await page.getByRole('img', { name: 'After: a red scarf' }).waitFor();
    });
    const edited = await latest(panel);
    assert.deepEqual(await colourAt(edited, 0.5, 0.5), red);
    assert.deepEqual(await colourAt(edited, 0.5, 0.1), green);
    assert.equal(edited.origin?.job_id, made);

    await page.getByLabel('Show the mask').check();
    const slider = page.getByRole('slider', { name: /as it was before/ });
    await slider.press('ArrowLeft');
    await settles(() => slider.inputValue(), '49');
    await check(page, 'before and after');

    await page.getByRole('button', { name: 'Back to the brush' }).click();
    await page.getByText('Extend', { exact: true }).click();
    await page.getByRole('radio', { name: '16:9' }).check();
    await check(page, 'an image that is extended');
    await page.getByLabel('Prompt').fill('a wide meadow');
    await page.getByRole('button', { name: /^Make image/ }).click();
    await page.getByRole('img', { name: 'After: a wide meadow' }).waitFor();
    const extended = await latest(panel);
    assert.ok(extended.result.width / extended.result.height > 1.7);
    assert.deepEqual(await colourAt(extended, 0.05, 0.5), red);
    assert.deepEqual(await colourAt(extended, 0.5, 0.5), green);
    await page.goto(panel.at(`/jobs/${edited.job_id}`));
    await page.getByRole('slider', { name: /as it was before/ }).waitFor();

    await page.goto('/operator/models');
    await page.getByRole('button', { name: 'Pause Higher quality' }).click();
    await page.getByLabel('Reason').fill('Moving house');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Resume Higher quality' }).waitFor();
    await page.goto(panel.at(`/jobs/${made}/edit`));
    const model = page.getByLabel('Model', { exact: true });
    await settles(() => model.inputValue(), 'pro', 'one that makes images now');
  });

  test('is marked by strokes that can be undone, and two fingers zoom without painting', async () => {
    await using panel = await openPainter();
    const { made, page } = panel;
    await page.goto(panel.at(`/jobs/${made}/edit`));
    const mask = page.getByRole('img', { name: 'What will change' });
    await mask.waitFor();
    const button = page.getByRole('button', { name: /^Make image/ });
    await page.getByText('Paint over what should change.').first().waitFor();
    await paint(page, [0.2, 0.2], [0.4, 0.2]);
    await paint(page, [0.2, 0.8], [0.4, 0.8]);
    await settles(() => marked(mask, [0.3, 0.2], [0.3, 0.8], [0.9, 0.5]), [true, true, false]);
    await page.keyboard.press('Control+z');
    await settles(() => marked(mask, [0.3, 0.2], [0.3, 0.8]), [true, false]);
    await page.keyboard.press('Control+Shift+Z');
    await page.keyboard.press('e');
    await paint(page, [0.2, 0.2], [0.4, 0.2]);
    await settles(() => marked(mask, [0.3, 0.2], [0.3, 0.8]), [false, true]);
    await page.getByRole('button', { name: 'Invert' }).click();
    await settles(() => marked(mask, [0.3, 0.2], [0.3, 0.8]), [true, false]);
    await page.mouse.wheel(0, -600);
    await check(page, 'a mask that is painted');
    await page.getByRole('button', { name: 'Clear' }).click();
    await settles(() => button.getAttribute('aria-disabled'), 'true');

    await page.setViewportSize({ width: 390, height: 844 });
    await assertFits(page, 'the editor');
    const { width: before } = await still(mask);
    await pinch(page, mask);
    await settles(async () => ((await mask.boundingBox())?.width ?? 0) > before * 1.2, true, 'larger');
    assert.deepEqual(await marked(mask, [0.5, 0.5], [0.4, 0.5], [0.6, 0.5]), [false, false, false]);
  });
});

/** The image is green. Later images are all red, because the provider ignores the mask. */
async function openPainter() {
  const painter = new TestProvider();
  Object.assign(painter.capabilities, { exact: false, options: ['mask'] });
  let background = green;
  painter.handler = async ({ width, height }) => ({
    bytes: await sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer(),
  });
  const [nb, nb2, pro] = testRoutes(new TestProvider());
  assert.ok(nb && nb2 && pro);
  const panel = await openPanel({
    replacements: { routes: [nb, ...[nb2, pro].map((one) => ({ ...one, provider: painter }))] },
  });
  const made = await panel.world.create('/nb2/text-generations', { prompt: 'a meadow' });
  await panel.world.finished(made);
  background = red;
  return { ...panel, made, page: await panel.operator() };
}

type Point = [x: number, y: number];

/** Returns an element's position once it no longer moves: the page measures itself before it positions the image. */
async function still(what: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await what.hover({ trial: true });
  return (await what.boundingBox()) ?? assert.fail('it is not shown');
}

async function paint(page: Page, from: Point, to: Point): Promise<void> {
  const box = await still(page.getByRole('img', { name: 'What will change' }));
  const at = ([x, y]: Point) => [box.x + x * box.width, box.y + y * box.height] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 5 });
  await page.mouse.up();
}

async function pinch(page: Page, on: Locator): Promise<void> {
  const box = await still(on);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: number[]) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map((left, id) => ({ x: left, y, id })),
    });
  await touch('touchStart', x - 20);
  await touch('touchStart', x - 20, x + 20);
  for (const apart of [30, 45, 60]) await touch('touchMove', x - apart, x + apart);
  await touch('touchEnd');
}

function marked(mask: Locator, ...points: Point[]): Promise<boolean[]> {
  return mask.evaluate(
    (canvas: HTMLCanvasElement, all) =>
      all.map(([x, y]) => {
        const at = [Math.round(x * canvas.width), Math.round(y * canvas.height)] as const;
        return (canvas.getContext('2d')?.getImageData(...at, 1, 1).data[3] ?? 0) > 128;
      }),
    points,
  );
}

interface Made {
  job_id: string;
  origin?: { job_id: string };
  result: { image_url: string; width: number; height: number };
}

async function latest({ world }: Pick<Panel, 'world'>): Promise<Made> {
  const { body } = await world.send('GET', '/jobs?limit=1');
  const [job] = body.data as Made[];
  return job ?? assert.fail('no job');
}

async function colourAt({ result }: Made, x: number, y: number): Promise<typeof red> {
  const image = Buffer.from(await (await fetch(result.image_url)).arrayBuffer());
  const { width, height } = result;
  const [r = 0, g = 0, b = 0] = await sharp(image)
    .extract({ left: Math.round(x * width), top: Math.round(y * height), width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer();
  return { r, g, b };
}
