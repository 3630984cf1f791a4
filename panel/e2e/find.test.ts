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

async function make({ world }: Panel, prompt: string, colour: string, resolution: string): Promise<void> {
  world.provider.handler = async ({ width, height }) => ({
    bytes: await sampleImage({ width, height, colour }),
  });
  const { result } = await world.finished(
    await world.create('/nb2/text-generations', { prompt, resolution }),
  );
  assert.equal((await fetch((result as { thumbnail_url: string }).thumbnail_url)).status, 200);
}
