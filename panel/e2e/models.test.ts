import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openCircuit } from '../../server/src/jobs/routes/circuit-store.ts';
import { changeModel } from '../../server/test/world/change-model.ts';
import { checkAll } from './axe.ts';
import { createKeyDuring, holdAnswer } from './hold-answer.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';

const routes = [
  { provider: 'sketch', name: 'home', slots: 2, cost: '0.01' },
  { provider: 'sketch', name: 'cloud', slots: 4, weight: 3, cost: { '1K': '0.02', '2K': '0.03' } },
];

suite('models', { skip }, () => {
  test('an operator sets a price and the order of routes, restores a version, and reads why a model is locked', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-models-'));
    const file = join(folder, 'darkroom.json');
    await writeFile(file, JSON.stringify({ prices: { nb: { '1K': '0.01' } } }));
    try {
      await using panel = await openPanel({ ownRoutes: true, env: { DARKROOM_CONFIG: file } });
      await changeModel(panel.world, 'nb2', (before) => before && { ...before, routes });
      const page = await panel.operator();
      await changePrice(panel, page);
      await reorder(panel, page);
      await goBack(panel, page);
      await keepUnreadable(page);
      await keepUnreadableRoute(page);
      await seeLocked(page, file);
      await tryNow(panel, page);
      await checkAll(page, ['nb2', 'nb2?view=settings', 'nb2?view=versions', 'nb?view=settings'].map(pathOf));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a model that is added late does not lead away from another page', async () => {
    await using panel = await openPanel({ ownRoutes: true });
    const page = await panel.operator();
    const answer = await holdAnswer(page, /\/admin\/v1\/models$/);
    await page.goto('/operator/models');
    await page.getByRole('button', { name: 'Add a model' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Id').fill('copied');
    await dialog.getByLabel('Name').fill('Copied');
    const sent = page.waitForRequest(/\/admin\/v1\/models$/);
    await dialog.getByRole('button', { name: 'Add model' }).click();
    await sent;
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await createKeyDuring(page, answer);
  });
});

const pathOf = (model: string) => `/operator/models/${model}`;

const priceOf = async ({ world }: Panel) => (await world.finished(await world.create())).price;

async function changePrice(panel: Panel, page: Page): Promise<void> {
  assert.equal(await priceOf(panel), '0.04');
  await page.goto('/operator/models');
  await page.getByRole('link', { name: 'Higher quality' }).click();
  await page.getByText('Settings', { exact: true }).click();
  const price = page.getByLabel('Price of an image at 1K');
  await price.fill('0,05');
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('alert').getByText('/resolutions/1K/price must be an amount').first().waitFor();
  await settles(() => price.getAttribute('aria-invalid'), 'true');

  await price.fill('0.05');
  await page.getByRole('button', { name: 'Review changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save version 3?' });
  await dialog.getByText('"0.04" → "0.05"').waitFor();
  assert.equal(await priceOf(panel), '0.04', 'a difference changes nothing');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await priceOf(panel), '0.05');
}

async function reorder(panel: Panel, page: Page): Promise<void> {
  const order = page.getByRole('list', { name: 'Routes in order' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Move cloud up' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('cloud is now 1 of 2').waitFor({ state: 'attached' });
  const name = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await page.waitForFunction(
    () => document.activeElement?.getAttribute('aria-label') === 'Move cloud up',
    undefined,
  );
  assert.equal(await name(), 'Move cloud up', 'the button that was pressed keeps the focus');
  await settles(() => order.first().innerText(), /cloud/);

  await order.first().dragTo(order.last(), { sourcePosition: { x: 60, y: 16 } });
  await settles(() => order.first().innerText(), /home/);
  await order.last().dragTo(order.first(), { sourcePosition: { x: 60, y: 16 } });
  await settles(() => order.first().innerText(), /cloud/);

  await page.getByRole('button', { name: 'Review changes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('home, cloud → cloud, home').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const jobId = await panel.world.create();
  await panel.world.finished(jobId);
  const { route } = await panel.world.app.database.read
    .selectFrom('jobs')
    .select('route')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  assert.equal(route, 'nb2/cloud');
}

async function goBack(panel: Panel, page: Page): Promise<void> {
  await page.getByText('Versions', { exact: true }).click();
  await page.getByRole('button', { name: 'Go back to version 2' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('"0.05" → "0.04"').waitFor();
  await dialog.getByRole('button', { name: 'Go back to version 2' }).click();
  await page.getByRole('heading', { name: 'Version 5' }).waitFor();
  assert.equal(await priceOf(panel), '0.04');
}

async function keepUnreadable(page: Page): Promise<void> {
  await page.goto(pathOf('nb2?view=settings'));
  const discard = page.getByRole('button', { name: 'Discard' });
  await page.getByRole('button', { name: 'Edit as JSON' }).click();
  await page.getByLabel('Definition').fill('{ "name": ');
  await page.getByText('Not readable yet').waitFor();
  await page.getByRole('button', { name: 'Edit as form' }).click({ force: true });
  assert.equal(await page.getByLabel('Definition').inputValue(), '{ "name": ', 'no switch drops it');
  assert.equal(await page.getByRole('button', { name: 'Review changes' }).isDisabled(), true);
  await discard.click();
  await page.getByText('No changes').waitFor();

  await page.getByLabel('Pixels of 1K', { exact: true }).selectOption('By area');
  await page.getByLabel('Pixels of 1K', { exact: true }).selectOption('By ratio');
  const sizes = page.getByLabel('Pixels of each ratio of 1K');
  await sizes.pressSequentially('1:1 1024 x 1024\n4');
  await page.getByText('Not readable yet').waitFor();
  await sizes.pressSequentially(':3 1200 x 900');
  await page.getByText('Not saved').waitFor();
  assert.equal(await sizes.inputValue(), '1:1 1024 x 1024\n4:3 1200 x 900');
  assert.equal(await sizes.isVisible(), true, 'it does not fold while somebody types');
}

async function keepUnreadableRoute(page: Page): Promise<void> {
  await page.goto(pathOf('nb2?view=settings'));
  const settings = page.getByRole('button', { name: /^Settings of / }).first();
  await settings.click();
  const field = page.getByLabel('Further settings of the provider, JSON');
  await field.fill('{ "steps": ');
  await settings.click({ force: true });
  assert.equal(await field.inputValue(), '{ "steps": ', 'closing does not drop it');
  await field.fill('');
  await settings.click();
  await field.waitFor({ state: 'detached' });
}

async function seeLocked(page: Page, file: string): Promise<void> {
  await page.goto('/operator/models/nb?view=settings');
  const notice = page.getByText('This model is set by the configuration file');
  await notice.waitFor();
  await page.getByText(file).waitFor();
  await page.getByText('/prices/nb', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Review changes' }).count(), 0);
}

async function tryNow({ world }: Panel, page: Page): Promise<void> {
  const opening = { state: 'open', openMs: 3_600_000, reason: 'network', detail: null, failures: 1 } as const;
  await world.app.database.transaction((tx) => openCircuit(tx, { route: 'nb2/home', ...opening }));
  await page.goto('/operator/models/nb2');
  await page.getByRole('button', { name: 'Try nb2/home now' }).click();
  await page
    .getByRole('row', { name: /nb2\/home/ })
    .getByText('Half open')
    .waitFor();
}
