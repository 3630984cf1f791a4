import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPanel, type Panel, skip } from './support.ts';
import { within } from './within.ts';

// Counts clicks of tasks, as do tasks.test.ts and the tests of albums, archive, batch, choose and masks.
suite('further tasks of people, in few clicks', { skip }, () => {
  test('an image made again, varied, reworded and downloaded; costs, a statement, an endpoint; and what operators do most', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await world.finished(await world.create('/nb2/text-generations', { prompt: 'a heron' }));
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    await goOnFromImage(page);
    await takeAlong(panel, page);
    await lookAfterAccount(page);
    await lookAfterOthers(panel, page);
    await lookAfterModels(panel, page);
  });
});

async function goOnFromImage(page: Page): Promise<void> {
  const images = page.getByRole('link', { name: 'Pictures', exact: true });
  const open = page.getByRole('link', { name: 'a heron', exact: true }).first();
  const box = page.getByRole('dialog', { name: 'a heron' });
  const make = page.getByRole('button', { name: 'Make image · 0.04 USD' });
  const made = page.getByRole('region', { name: 'Result' }).getByRole('img', { name: /^a heron/ });
  await within(page, 2, async (click) => {
    await click(open);
    await click(box.getByRole('button', { name: 'Run again' }));
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
  });
  await images.click();
  await within(page, 3, async (click) => {
    await click(open);
    await click(box.getByRole('button', { name: 'Vary' }));
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    await click(make);
    await made.waitFor();
  });
  await images.click();
  await within(page, 3, async (click) => {
    await click(open);
    await click(box.getByRole('button', { name: 'Change the prompt' }));
    await page.getByLabel('Prompt').fill('a heron at dusk');
    await click(make);
    await page
      .getByRole('region', { name: 'Result' })
      .getByRole('img', { name: 'a heron at dusk' })
      .waitFor();
  });
}

async function takeAlong({ world }: Panel, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Pictures', exact: true }).click();
  await within(page, 3, async (click) => {
    await click(page.getByRole('link', { name: 'a heron at dusk' }));
    await click(page.getByRole('button', { name: 'Other formats and sizes' }));
    const smaller = page.getByRole('menuitem', { name: 'WebP, 256 pixels wide' });
    const [file] = await Promise.all([page.waitForEvent('download'), click(smaller)]);
    assert.match(file.suggestedFilename(), /^\d{4}-\d\d-\d\d a-heron-at-dusk [0-9a-f]{12}\.webp$/);
  });
  await page.goBack();
  await within(page, 1, async (click) => {
    const table = page.getByRole('link', { name: 'Download CSV' });
    const [file] = await Promise.all([page.waitForEvent('download'), click(table)]);
    assert.match(file.suggestedFilename(), /\.csv$/);
  });
  await within(page, 0, async () => {
    await page.keyboard.press('Control+k');
    await page.locator('[role="combobox"]:focus').waitFor();
    await page.keyboard.type('dusk');
    await page.getByRole('option', { name: /a heron at dusk/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
  });
  assert.equal((await world.balance()).reserved, '0.00');
}

async function lookAfterAccount(page: Page): Promise<void> {
  await within(page, 2, async (click) => {
    await click(page.getByRole('link', { name: 'Usage' }));
    await click(page.getByText('Key', { exact: true }));
    await page.waitForURL(/by=key/);
    await page.getByRole('row', { name: /0\.12/ }).first().waitFor();
  });
  await within(page, 2, async (click) => {
    await click(page.getByRole('link', { name: 'Balance', exact: true }));
    await click(page.getByRole('link', { name: /^\p{Lu}\p{Ll}+ 20\d\d$/u }).first());
    await page.getByRole('region', { name: 'Statement', exact: true }).waitFor();
  });
  await within(page, 3, async (click) => {
    await click(page.getByRole('link', { name: 'Webhooks' }));
    await click(page.getByRole('button', { name: 'Add endpoint' }).first());
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/hook');
    await click(dialog.getByRole('button', { name: 'Add endpoint' }));
    await page.getByRole('heading', { name: '127.0.0.1:9' }).waitFor();
  });
  await within(page, 2, async (click) => {
    await click(page.getByRole('button', { name: /Operator$/ }));
    await click(page.getByText('Dark', { exact: true }));
    await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark');
  });
  await page.keyboard.press('Escape');
}

async function lookAfterOthers({ world }: Panel, page: Page): Promise<void> {
  await within(page, 4, async (click) => {
    await click(page.getByRole('link', { name: 'Accounts', exact: true }));
    await click(page.getByRole('link', { name: 'tests' }).last());
    await click(page.getByRole('button', { name: 'Invite a member' }));
    await click(page.getByRole('button', { name: 'Make the link' }));
    await page.getByRole('region', { name: 'link' }).waitFor();
  });
  await page.getByRole('button', { name: 'Done' }).click();
  await within(page, 4, async (click) => {
    await click(page.getByRole('link', { name: 'Accounts', exact: true }));
    await click(page.getByRole('link', { name: 'tests' }).last());
    await click(page.getByRole('button', { name: 'Credit' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Amount/).fill('12.50');
    await dialog.getByLabel('Reason').fill('Invoice 118');
    await click(dialog.getByRole('button', { name: 'Credit account' }));
    await dialog.waitFor({ state: 'detached' });
  });
  assert.match(String((await world.balance()).balance), /^112\./);
  await within(page, 2, async (click) => {
    await click(page.getByRole('link', { name: 'Audit log' }).first());
    await click();
    await page.getByLabel('What', { exact: true }).selectOption('account.credited');
    await page.getByRole('row', { name: /Account credited.*Invoice 118/ }).waitFor();
  });
}

async function lookAfterModels({ world }: Panel, page: Page): Promise<void> {
  await within(page, 5, async (click) => {
    await click(page.getByRole('link', { name: 'Models', exact: true }));
    await click(page.getByRole('link', { name: 'Higher quality' }));
    await click(page.getByText('Settings', { exact: true }));
    await page.getByLabel('Price of an image at 1K').fill('0.05');
    await click(page.getByRole('button', { name: 'Review changes' }));
    const dialog = page.getByRole('dialog');
    await click(dialog.getByRole('button', { name: 'Save' }));
    await dialog.waitFor({ state: 'detached' });
  });
  const job = await world.finished(await world.create('/nb2/text-generations', { prompt: 'a heron' }));
  assert.equal(job.price, '0.05');
  await within(page, 3, async (click) => {
    await click(page.getByRole('link', { name: 'Models', exact: true }));
    await click(page.getByRole('button', { name: 'Pause Higher quality' }));
    await page.getByLabel('Reason').fill('Moving house');
    await click(page.getByRole('button', { name: 'Pause', exact: true }));
    await page.getByRole('button', { name: 'Resume Higher quality' }).waitFor();
  });
}
