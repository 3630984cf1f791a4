import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openMember } from '../../server/test/panel/browser.ts';
import { changeModel } from '../../server/test/world/change-model.ts';
import { checkDialog } from './axe.ts';
import { openPanel, type Panel, skip } from './support.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';
/** The button of each version of a model has its own name. */
const anyVersion = /^Go back to version/;

suite('accessibility, WCAG 2.2 AA, of dialogs', { skip }, () => {
  test('no violation, light and dark, and none is wider than a phone', async () => {
    await using panel = await openPanel({ ownRoutes: true });
    const page = await panel.operator();
    const { key, endpoint } = await fill(panel, page);
    const account = `/operator/accounts/${panel.world.accountId}`;
    const dialogs: readonly [path: string, button: string | RegExp][] = [
      ['/operator/accounts', 'Create account'],
      [account, 'Credit'],
      [account, 'Disable'],
      [account, 'Invite a member'],
      [account, 'Change limits'],
      [account, 'Change what is kept'],
      ['/operator/accounts', 'Invite an operator'],
      ['/operator/models', 'Add a model'],
      ['/operator/rates', 'Add a rate'],
      ['/operator/models/nb2?view=versions', anyVersion],
      [panel.at('/balance'), 'Change alerts'],
      [panel.at(`/keys/${key}`), /^Roll /],
      [panel.at(`/keys/${key}`), /^Disable /],
      [panel.at(`/keys/${key}`), 'Change limits'],
      [panel.at(`/webhooks/endpoints/${endpoint}`), 'Rotate'],
      [panel.at(`/webhooks/endpoints/${endpoint}`), 'Replay failed…'],
      [panel.at(`/webhooks/endpoints/${endpoint}`), 'Change'],
      [panel.at(`/webhooks/endpoints/${endpoint}`), 'Remove'],
      ['/profile', 'End my other sessions'],
      ['/profile', /^End the session of/],
    ];
    for (const [path, button] of dialogs) {
      if (!page.url().endsWith(path)) await page.goto(path);
      await page.getByRole('button', { name: button, exact: true }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      await checkDialog(page, `${path}, ${button}`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });
});

suite('dialogs', { skip }, () => {
  test('saving a dialog keeps what someone else has changed since it was opened', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    const page = await panel.operator();
    const other = await openMember(world, { email, accountId: null });
    const params = { account_id: world.accountId };
    await page.goto(`/operator/accounts/${world.accountId}`);
    await open(page, 'Change limits');
    await other.call('PATCH /api/v1/limits', { params, body: { open: 7 } });
    await readAgain(page, '/api/v1/limits');
    await fillAndSave(page, 'Spend per day', '50');
    await open(page, 'Change what is kept');
    await other.call('PATCH /api/v1/retention', { params, body: { pictures: 20 } });
    await readAgain(page, '/api/v1/retention');
    await fillAndSave(page, 'Prompts and parameters', '10');

    await page.goto(panel.at('/balance'));
    await open(page, 'Change alerts');
    await other.call('PATCH /api/v1/alerts', { params, body: { balance_low: '5.00' } });
    await fillAndSave(page, /^Share of a spend limit/, '80');

    const { endpoint_id } = await other.call('POST /api/v1/webhooks', {
      params,
      body: { url: 'http://127.0.0.1:9/', events: null },
    });
    const ofEndpoint = { params: { ...params, endpoint_id } };
    await page.goto(panel.at(`/webhooks/endpoints/${endpoint_id}`));
    await open(page, 'Change');
    const failures = { events: ['job.failed'] };
    await other.call('PATCH /api/v1/webhooks/:endpoint_id', { ...ofEndpoint, body: failures });
    await fillAndSave(page, 'Address', 'http://127.0.0.1:9/new');

    const limits = (await other.call('GET /api/v1/limits', { params })).data;
    const kept = (await other.call('GET /api/v1/retention', { params })).data;
    const alerts = await other.call('GET /api/v1/alerts', { params });
    const endpoint = await other.call('GET /api/v1/webhooks/:endpoint_id', ofEndpoint);
    assert.deepEqual(
      {
        limits: limits.flatMap(({ limit, most, is_default }) => (is_default ? [] : [[limit, most]])),
        kept: kept.flatMap(({ part, days, own }) => (own ? [[part, days]] : [])),
        alerts: [alerts.balance_low, alerts.spend_near_percent],
        endpoint: [endpoint.url, endpoint.events],
      },
      {
        limits: [
          ['spend_day', '50.00'],
          ['open', '7'],
        ],
        kept: [
          ['pictures', 20],
          ['prompts', 10],
        ],
        alerts: ['5.00', 80],
        endpoint: ['http://127.0.0.1:9/new', ['job.failed']],
      },
    );
  });
});

async function open(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').waitFor();
}

/** Reads the path again, as a page does when the person returns to it. */
async function readAgain(page: Page, path: string): Promise<void> {
  const answer = page.waitForResponse((one) => new URL(one.url()).pathname === path);
  await page.clock.setFixedTime((await page.evaluate(() => Date.now())) + 60_000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await answer;
}

async function fillAndSave(page: Page, field: string | RegExp, text: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(field).fill(text);
  await dialog.getByRole('button', { name: /^Save/ }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function fill(panel: Panel, page: Page): Promise<{ key: string; endpoint: string }> {
  const asPage = { 'darkroom-panel': '1', 'darkroom-account': panel.world.accountId };
  const post = async (path: string, data: object) => {
    const reply = await page.request.post(path, { data, headers: { origin: panel.world.url, ...asPage } });
    assert.ok(reply.ok(), `${path}: ${reply.status()} ${await reply.text()}`);
    return reply.json();
  };
  const { endpoint_id } = await post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/', events: null });
  await changeModel(panel.world, 'nb2', (before) => before && { ...before, name: 'Another name' });
  await panel.world.finished(await panel.world.create());
  const { data } = await (await page.request.get('/api/v1/keys', { headers: asPage })).json();
  await post('/panel/session/credentials', { name: 'Ada', email, password });
  const other = await panel.visitor();
  await other.goto('/sign-in');
  await other.getByLabel('Email').fill(email);
  await other.getByRole('textbox', { name: 'Password' }).fill(password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.waitForURL(/\/accounts\//);
  return { key: data[0].key_id, endpoint: endpoint_id };
}
