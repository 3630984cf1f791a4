import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { failure } from '../../server/src/upstream/providers/failure.ts';
import { check } from './axe.ts';
import { holdUndo } from './hold-undo.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';

suite('the contact sheet', { skip }, () => {
  test('shows images at their ratios, opens them over the page, turns to the next, and Back closes the view', async () => {
    await using panel = await openPanel();
    const ids = await fill(panel, ['1:1', '16:9', '3:2', '9:16']);
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    const tiles = page.locator('[data-index]');
    await tiles.nth(4).waitFor();
    const ratio = await tiles.nth(2).evaluate((tile) => {
      const { width, height } = tile.getBoundingClientRect();
      return (width / height).toFixed(1);
    });
    assert.equal(ratio, '1.5');
    await settles(() => tiles.nth(0).innerText(), /for safety reasons/, 'a failure says why');

    await tiles.nth(3).click();
    const box = page.getByRole('dialog', { name: 'image 16:9' });
    await box.waitFor();
    assert.equal(new URL(page.url()).searchParams.get('show'), ids[1]);
    await settles(() => page.title(), 'image 16:9 · Pictures · Darkroom');
    // An image has its size, and so its actual pixels, one frame after it appears.
    await box.getByRole('button', { name: /^[1-9]\d*% of actual pixels; show/ }).waitFor();
    await page.keyboard.press('z');
    await box.getByRole('button', { name: /^100% of actual pixels/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'image 1:1' }).waitFor();
    await page.getByRole('link', { name: 'Download', exact: true }).waitFor();
    await check(page, 'the lightbox');
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    const shared = await panel.operator();
    await shared.goto(panel.at(`/jobs?show=${ids[2]}`));
    await shared.getByRole('dialog', { name: 'image 3:2' }).waitFor();
    await shared.getByRole('link', { name: 'Download', exact: true }).waitFor();
    await shared.keyboard.press('Escape');
    await shared.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(new URL(shared.url()).search, '');
    await selectAndRun(panel, shared);
  });

  test('says how many of the selected jobs have an image, shows captions in their direction, and reports an unknown job or account', async () => {
    await using panel = await openPanel();
    const ids = await fill(panel, ['1:1', '16:9'], 'שועל אדום');
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    const caption = page.locator('[data-index]').nth(1).getByText('שועל');
    assert.equal(await caption.evaluate((element) => getComputedStyle(element).direction), 'rtl');
    await page.locator('[data-index]').first().focus();
    await page.keyboard.press('Control+a');
    await page.getByText('2 images of 3 selected').waitFor();

    const unknown = `${ids[0]?.slice(0, -4)}0000`;
    await page.goto(panel.at(`/jobs?show=${unknown}`));
    await page.getByRole('dialog').getByRole('alert').getByText('There is no such job').waitFor();
    await check(page, 'a lightbox of a job that does not exist');
    await page.goto(panel.at('/jobs', unknown));
    await page.getByRole('alert').getByText('There is no account').first().waitFor();
  });

  test('names its images on devices that cannot hover', async () => {
    await using panel = await openPanel();
    await fill(panel, ['1:1']);
    const page = await panel.operator();
    const phone = await panel.visitor({ touch: true, width: 390, height: 844 });
    await phone.context().addCookies(await page.context().cookies());
    await phone.goto(panel.at('/jobs'));
    await phone.getByRole('link', { name: /^image 1:1/ }).waitFor();
    await check(phone, 'the contact sheet on a phone');
  });

  test('says why the Delete key deletes no more images than the server does at once', async () => {
    await using panel = await openPanel();
    const requests = Array.from({ length: 101 }, (_, index) => ({
      ...{ model: 'nb', mode: 'text', body: { prompt: `image ${index}`, aspect_ratio: '1:1' } },
    }));
    assert.equal((await panel.world.send('POST', '/batches', { body: { requests } })).status, 202);
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    const tiles = page.locator('[data-index]');
    await tiles.first().focus();
    await page.keyboard.press('End');
    await page.locator('[data-index="100"]').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('101 selected').waitFor();
    await page.keyboard.press('Delete');
    const asked = page.getByRole('dialog', { name: 'Delete 101 images?' });
    await asked.getByRole('paragraph').filter({ hasText: 'At most 100 at a time.' }).waitFor();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true');
    await check(page, 'a deletion of too many images');
    await asked.getByRole('button', { name: 'Keep' }).click();
    await asked.waitFor({ state: 'detached' });
    await tiles.first().focus();
    await page.keyboard.press('Space');
    await page.getByText('100 selected').waitFor();
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Delete 100 images?' }).waitFor();
    assert.equal(await remove.getAttribute('aria-disabled'), null);
  });

  test('reports that a deletion failed, even after a later deletion and its undo', async () => {
    await using panel = await openPanel();
    for (const prompt of ['a heron', 'an owl'])
      await panel.world.finished(await panel.world.create(undefined, { prompt }));
    const page = await panel.operator();
    await page.addInitScript(holdUndo);
    await page.route(/\/delete-images$/, (route) => {
      const problem = { title: 'Service unavailable', status: 503, code: 'unavailable', detail: 'Busy.' };
      return route.fulfill({ status: 503, json: problem });
    });
    await page.goto(panel.at('/jobs'));
    const bar = page.getByRole('region', { name: 'Selected images' });
    for (const prompt of ['a heron', 'an owl']) {
      const tile = page.getByRole('link', { name: prompt });
      await page.getByRole('button', { name: `Select ${prompt}` }).click();
      await bar.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await tile.waitFor({ state: 'detached' });
    }
    const report = page.getByRole('alert').getByText('Service unavailable');
    await report.waitFor();
    await page.getByRole('link', { name: 'a heron' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'an owl' }).waitFor();
    assert.equal(await report.isVisible(), true);
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
  });
});

async function selectAndRun(panel: Panel, page: Page): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selected images' });
  const said = (count: number) => bar.getByText(`${count} selected`).waitFor();
  const tiles = page.locator('[data-index]');
  await page.getByRole('button', { name: 'Select image 16:9' }).click();
  await said(1);
  await tiles.nth(1).click({ modifiers: ['Shift'] });
  await said(3);
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });

  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await said(2);
  await page.keyboard.press('Space');
  await said(1);
  await page.keyboard.press('Control+a');
  await said(5);
  await bar.getByRole('button', { name: 'Star' }).click();
  await page.getByLabel('Starred', { exact: true }).first().waitFor();
  await check(page, 'the contact sheet with a selection');
  await bar.getByRole('button', { name: 'Clear' }).click();
  await bar.waitFor({ state: 'detached' });

  const first = await tiles.nth(1).boundingBox();
  const last = await tiles.nth(2).boundingBox();
  assert.ok(first && last);
  await page.mouse.move(first.x + 60, first.y + 60);
  await page.mouse.down();
  await page.mouse.move(last.x + 20, last.y + 70, { steps: 4 });
  await page.mouse.up();
  await said(2);
  const before = panel.world.provider.requests.length;
  await bar.getByRole('button', { name: 'Run again' }).click();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'image 3:2' }).nth(1).waitFor();
  await settles(async () => panel.world.provider.requests.length, before + 2);
}

async function fill({ world }: Panel, ratios: string[], prompt = 'image'): Promise<string[]> {
  const ids: string[] = [];
  for (const aspect_ratio of ratios) {
    ids.push(
      await world.create('/nb2/text-generations', { prompt: `${prompt} ${aspect_ratio}`, aspect_ratio }),
    );
    await world.finished(ids.at(-1) ?? '');
  }
  const { handler } = world.provider;
  world.provider.handler = async () => {
    throw failure('safety_blocked');
  };
  ids.push(await world.create('/nb2/text-generations', { prompt: 'refused' }));
  await world.finished(ids.at(-1) ?? '');
  world.provider.handler = handler;
  return ids;
}
