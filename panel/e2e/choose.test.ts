import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { eventually } from '../../server/test/http/support/requests.ts';
import { check, checkDialog } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';
import { within } from './within.ts';

const many = 50;

suite('the best of many images', { skip }, () => {
  test('fifty become five by keys alone, and each key is announced', async () => {
    await using panel = await openPanel();
    await make(panel, many);
    const page = await panel.operator();
    await withoutImages(page);
    const sheet = page.getByRole('list', { name: 'Images, newest first' });
    await page.goto(panel.at('/jobs'));
    await page.locator('[data-index="0"]').waitFor();
    await within(page, 0, async () => {
      // Skips the menu, the filters and the buttons, which are some thirty stops.
      for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
      for (let index = 0; index < many; index++) {
        await focusIsAt(page, index);
        await page.keyboard.press(index % 10 === 0 ? 'p' : 'x');
      }
      await eventually(
        async () => Promise.all(['starred=true', 'tag=rejected'].map((filter) => count(panel, filter))),
        ([picked, rejected]) => picked === 5 && rejected === 45,
      );
      await page.keyboard.press('f');
      await page.waitForURL(/starred=yes/);
      await page.waitForFunction(() => document.querySelectorAll('[data-index]').length === 5);
      await tabToImages(page);
      await page.keyboard.press('4');
      await sheet.getByText('★★★★', { exact: true }).waitFor();
      await page.keyboard.press('4');
      await sheet.getByText('★★★★', { exact: true }).waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
      await checkDialog(page, 'the keys');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  });

  test('an image is opened by Enter even if selected, picked and tagged in the lightbox, and compared with the next', async () => {
    await using panel = await openPanel({ env: { DARKROOM_SHARING: 'true' } });
    await make(panel, 3);
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press(' ');
    await page.keyboard.press('Enter');
    const box = page.getByRole('dialog', { name: 'number 2' });
    await box.waitFor();
    const isQuiet = (button: Locator) => button.evaluate((one) => one.matches('[data-variant="default"]'));
    assert.equal(await isQuiet(box.getByRole('link', { name: 'Download', exact: true })), false);
    assert.equal(await isQuiet(box.getByRole('button', { name: 'Run again' })), true);
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'Tag' }).press('Escape');
    await page.getByRole('textbox', { name: 'Tag' }).waitFor({ state: 'detached' });
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'Tag' }).fill('harbour');
    await page.keyboard.press('Enter');
    await eventually(
      () => count(panel, 'tag=harbour'),
      (found) => found === 1,
    );
    await box.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('dialog', { name: 'Share this image' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Share this image' }).waitFor({ state: 'detached' });
    await check(page, 'the lightbox with all its tools');
    await page.keyboard.press('p');
    await page.getByRole('dialog', { name: 'number 1' }).waitFor();
    await eventually(
      () => count(panel, 'starred=true'),
      (found) => found === 1,
    );

    await page.keyboard.press('c');
    const survey = page.getByRole('list', { name: 'Images side by side' });
    await survey
      .getByRole('img', { name: /^number/ })
      .nth(1)
      .waitFor();
    assert.equal(await survey.locator('[data-zoomed]').count(), 0);
    await page.keyboard.press('+');
    await page.waitForFunction(() => document.querySelectorAll('[data-zoomed]').length === 2);
    await page.keyboard.press('0');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('x');
    await survey.getByText(/Rejected/).waitFor();
    await check(page, 'images side by side');
    await page.keyboard.press('Delete');
    await survey.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Side by side' }).waitFor({ state: 'detached' });
  });

  test('two to nine selected images are shown side by side, and downloaded by a preset', async () => {
    await using panel = await openPanel();
    await make(panel, 3);
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('Control+a');
    await within(page, 1, async (click) => {
      await click(page.getByRole('button', { name: 'Compare' }));
      await page
        .getByRole('list', { name: 'Images side by side' })
        .getByRole('img', { name: /^number/ })
        .nth(2)
        .waitFor();
    });
    assert.equal(new URL(page.url()).searchParams.get('survey')?.split(',').length, 3);
    await page.goBack();
    await page.getByRole('dialog', { name: 'Side by side' }).waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, panel.at('/jobs'), 'Back closes it, and stays');

    const menu = page.getByRole('button', { name: 'Presets' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'New preset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Presets for downloads' });
    await dialog.getByLabel('Name', { exact: true }).fill('For the web');
    await dialog.getByLabel('Size').selectOption('256');
    await settles(() => dialog.getByLabel('Format').inputValue(), 'webp', 'what is smaller is encoded again');
    await dialog.getByLabel('Format').selectOption('JPEG');
    await dialog.getByText('Transparent parts become white.').waitFor();
    await dialog.getByLabel('Quality').fill('75');
    await dialog.getByLabel('File names').fill('{number} {wrong}');
    await dialog.getByText('There is no {wrong}.').waitFor();
    await dialog.getByLabel('File names').fill('{number} {prompt}');
    await checkDialog(page, 'a new preset');
    await dialog.getByRole('button', { name: 'Save preset' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('Control+a');
    await menu.click();
    const [archive] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'For the web' }).click(),
    ]);
    const bytes = await readFile(await archive.path());
    for (const name of ['1 number-2.jpg', '2 number-1.jpg', '3 number-0.jpg'])
      assert.ok(bytes.includes(name), name);
    await page.reload();
    await page.getByRole('link', { name: 'number 2' }).click();
    for (const [item, called] of [
      ['For the web', '1 number-2.jpg'],
      [/^JPEG/, / number-2 [0-9a-f]{12}\.jpg$/],
    ] as const) {
      await page.getByRole('button', { name: 'Other formats and sizes' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item }).click(),
      ]);
      assert.match(file.suggestedFilename(), new RegExp(called));
      assert.equal((await sharp(await file.path()).metadata()).format, 'jpeg');
    }
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('Control+a');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Change presets' }).click();
    await dialog.getByText('JPEG 75, 256 pixels').waitFor();
    await checkDialog(page, 'presets');
    await dialog.getByRole('button', { name: 'Delete For the web' }).click();
    await dialog.getByRole('list', { name: 'Presets' }).waitFor({ state: 'detached' });
  });
});

async function make({ world }: Panel, wanted: number): Promise<void> {
  for (let index = 0; index < wanted; index++)
    await world.finished(await world.create('/nb2/text-generations', { prompt: `number ${index}` }));
}

/** Blocks images: fifty would have to be scaled first, and nobody sees them. */
async function withoutImages(page: Page): Promise<void> {
  await page.route(/\/images\//, (route) => route.abort());
}

async function tabToImages(page: Page): Promise<void> {
  await page.evaluate(() => document.getElementById('main')?.focus());
  for (let stop = 0; stop < 25; stop++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.matches('[data-index]') === true)) return;
  }
  assert.fail('the keyboard does not reach the images');
}

function focusIsAt(page: Page, index: number) {
  return page.waitForFunction(
    (wanted) => document.activeElement?.getAttribute('data-index') === String(wanted),
    index,
  );
}

async function count({ world }: Panel, filter: string): Promise<number> {
  const { body } = await world.send('GET', `/jobs?limit=100&${filter}`);
  // A filter by a tag without jobs is refused.
  return ((body.data ?? []) as unknown[]).length;
}
