import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sampleImage } from '../../server/test/emulators/sample-image.ts';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';

suite('images are found', { skip }, () => {
  test('by their colour, and by their resolution from the usage page', async () => {
    await using panel = await openPanel();
    await make(panel, 'a poppy', '#c01818', '1K');
    await make(panel, 'the sea', '#1a4fa0', '2K');
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    const tiles = page.locator('[data-index]');
    await tiles.nth(1).waitFor();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('button', { name: 'Any colour' }).click();
    await page.getByRole('button', { name: 'red', exact: true }).waitFor();
    await check(page, 'the colours');
    await page.getByRole('button', { name: 'red', exact: true }).click();
    await tiles.nth(1).waitFor({ state: 'detached' });
    await settles(() => tiles.first().innerText(), /a poppy/);
    assert.equal(new URL(page.url()).searchParams.get('colour'), 'red');
    await page.getByRole('button', { name: 'Filters · 1' }).waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await tiles.nth(1).waitFor();

    // Clicks the second before the page has updated after the first, as a quick user does.
    await page.evaluate(() => {
      for (const name of ['Starred', 'Duplicates'])
        [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name)?.click();
    });
    await page.waitForURL(/starred=yes.*duplicates=yes/);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await tiles.nth(1).waitFor();

    await page.goto(panel.at('/usage?by=resolution&period=today'));
    await page.getByRole('link', { name: '2K' }).click();
    await tiles.first().waitFor();
    await settles(() => tiles.count(), 1);
    await settles(() => tiles.first().innerText(), /the sea/);
  });

  test('by the most usual periods, and shown at a chosen size', async () => {
    await using panel = await openPanel();
    await make(panel, 'a poppy', '#c01818', '1K');
    const page = await panel.operator();
    const open = async (later: number) => {
      await page.clock.setFixedTime(Date.now() + later * 24 * 60 * 60_000);
      await page.goto(panel.at('/jobs'));
      await page.getByRole('link', { name: 'a poppy' }).waitFor();
    };
    await open(5);
    const week = page.getByRole('button', { name: '7 days' });
    await week.click();
    await page.waitForURL(/from=/);
    await page.getByRole('link', { name: 'a poppy' }).waitFor();
    await week.click();
    await page.waitForURL((url) => !url.searchParams.has('from'));
    await open(40);
    for (const name of ['7 days', 'This month']) {
      await page.getByRole('button', { name }).click();
      await page.getByText('No images match').waitFor();
      await page.getByRole('button', { name: 'Clear', exact: true }).click();
      await page.getByRole('link', { name: 'a poppy' }).waitFor();
    }

    const height = async () => (await page.getByRole('link', { name: 'a poppy' }).boundingBox())?.height ?? 0;
    const before = await height();
    const isLarger = async () => (await height()) > before * 1.5;
    await page.getByRole('slider', { name: 'Size of the images' }).fill('2');
    await settles(isLarger, true);
    await page.reload();
    await page.getByRole('link', { name: 'a poppy' }).waitFor();
    await settles(isLarger, true, 'kept in this browser');
  });
});

suite('a filtered list, while jobs change', { skip }, () => {
  test('of a batch keeps out the jobs of no batch', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await using slow = hold(panel, 'of the batch');
    const request = { model: 'nb', mode: 'text', body: { prompt: 'of the batch', aspect_ratio: '1:1' } };
    const { body } = await world.send('POST', '/batches', { body: { requests: [request] } });
    const page = await panel.operator();
    await page.goto(panel.at(`/jobs?view=table&batch=${String(body.batch_id)}`));
    await page.getByRole('row', { name: /of the batch/ }).waitFor();
    await world.finished(await world.create(undefined, { prompt: 'a stranger' }));
    slow.finish();
    await page.getByRole('row', { name: /of the batch.*Done/ }).waitFor();
    assert.equal(await page.getByRole('row', { name: /a stranger/ }).count(), 0);
  });

  test('of done jobs gains a job that ends after a newer one, in its place', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await using slow = hold(panel, 'the slow one');
    await world.finished(await world.create(undefined, { prompt: 'the first' }));
    await world.create(undefined, { prompt: 'the slow one' });
    await world.finished(await world.create(undefined, { prompt: 'the quick one' }));
    const page = await panel.operator();
    await page.goto(panel.at('/jobs?view=table&status=done'));
    await page.getByRole('row', { name: /the quick one/ }).waitFor();
    slow.finish();
    await page.getByRole('row', { name: /the slow one/ }).waitFor();
    const rows = await page.getByRole('row').allInnerTexts();
    assert.deepEqual(
      rows.flatMap((row) => /the (quick one|slow one|first)/.exec(row)?.[0] ?? []),
      ['the quick one', 'the slow one', 'the first'],
    );
  });

  test('of an Idempotency-Key, or of an id in capitals, keeps its job', async () => {
    await using panel = await openPanel();
    await using slow = hold(panel, 'a heron');
    const id = await panel.world.create(undefined, { prompt: 'a heron' }, { 'idempotency-key': '4711-0815' });
    const pages = [await panel.operator(), await panel.operator()];
    for (const [index, q] of ['4711-0815', id.toUpperCase()].entries()) {
      await pages[index]?.goto(panel.at(`/jobs?view=table&q=${q}`));
      await pages[index]?.getByRole('row', { name: /a heron/ }).waitFor();
    }
    slow.finish();
    for (const page of pages) await page.getByRole('row', { name: /a heron.*Done/ }).waitFor();
  });
});

/** Delays the image of one prompt until `finish`, or until the test ends. */
function hold({ world }: Panel, prompt: string): { finish: () => void } & AsyncDisposable {
  const { promise, resolve } = Promise.withResolvers<void>();
  const usual = world.provider.handler;
  world.provider.handler = async (request, ...others) => {
    if (request.prompt === prompt) await promise;
    return usual(request, ...others);
  };
  return { finish: resolve, [Symbol.asyncDispose]: async () => resolve() };
}

async function make({ world }: Panel, prompt: string, colour: string, resolution: string): Promise<void> {
  world.provider.handler = async ({ width, height }) => ({
    bytes: await sampleImage({ width, height, colour }),
  });
  const { result } = await world.finished(
    await world.create('/nb2/text-generations', { prompt, resolution }),
  );
  assert.equal((await fetch((result as { thumbnail_url: string }).thumbnail_url)).status, 200);
}
