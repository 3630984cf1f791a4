import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertFits, check } from './axe.ts';
import { openPanel, type Panel, skip } from './support.ts';
import { countVitals, readVitals } from './vitals.ts';

suite('samples run in a browser', { skip }, () => {
  const rowOf = (page: Page, text: string) => page.locator('figure.code', { hasText: text }).first();

  /** A page of somebody who is signed in and has opened an account in this browser. */
  async function reader(panel: Panel, path: string): Promise<Page> {
    const page = await panel.operator();
    await page.goto(panel.at());
    await page.locator('#main h1').waitFor();
    await page.addInitScript(countVitals);
    await page.goto(path);
    await page.locator('.run strong, .run select').first().waitFor({ state: 'attached' });
    const { shift, moved } = await readVitals(page);
    assert.ok(shift < 0.05, `${path} moves by ${shift}: ${moved.join(' | ')}`);
    return page;
  }

  test('a create tells its price, and is made for the account only once it is agreed to, with the keyboard alone', async () => {
    await using panel = await openPanel();
    const page = await reader(panel, '/docs/start/api');
    const { requests } = panel.world.provider;
    const sample = rowOf(page, 'curl -sS');
    const run = sample.getByRole('button', { name: 'Run', exact: true });
    await sample.getByText('in a terminal, your key').waitFor();
    assert.match(await sample.locator('pre').innerText(), new RegExp(`${panel.world.url}/api/v1`));
    assert.match(
      (await sample.locator('.run a').getAttribute('href')) ?? '',
      new RegExp(`^${panel.at('/keys/')}`),
    );

    await run.focus();
    await page.keyboard.press('Enter');
    const asked = sample.getByRole('group', { name: /^This costs \$0\.\d+, which tests pays\.$/ });
    await asked.waitFor();
    await check(page, 'the question');
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    assert.equal(await run.evaluate((button) => button === document.activeElement), true);
    assert.equal(requests.length, 0, 'nothing was made');

    await page.keyboard.press('Enter');
    await asked.waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await sample.getByText(/^\d+ (in \d+ ms, )?.*job done$/).waitFor();
    assert.match(await sample.getByLabel('Answer', { exact: true }).innerText(), /"status": "done"/);
    await page.waitForFunction(() => {
      const images = [...document.querySelectorAll<HTMLImageElement>('.beside img')];
      return images.length === 1 && images.every((one) => one.naturalWidth > 0);
    });
    assert.equal(requests.length, 1);
    const { body } = await panel.world.send('GET', '/jobs?limit=1');
    assert.equal((body.data as { status: string }[])[0]?.status, 'done');
    await check(page, 'the answer');
    await assertFits(page, 'the answer');
  });

  test('reads of the reference run at once, and a call with something to fill in asks for it', async () => {
    await using panel = await openPanel();
    const page = await reader(panel, '/docs/reference');
    const balance = page.locator('#get-balance');
    await balance.getByRole('button', { name: 'Run', exact: true }).click();
    await balance.getByText(/^200 in/).waitFor();
    assert.match(await balance.locator('.told').innerText(), /"available": "100\.00"/);

    const job = page.locator('#get-jobs-job_id');
    await job.getByRole('button', { name: 'Run', exact: true }).click();
    const { body } = await panel.world.send('POST', '/nb2/text-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1' },
    });
    await page.keyboard.type(String(body.job_id));
    await job.getByRole('button', { name: 'Send GET' }).click();
    await job.getByText(/^200 in/).waitFor();
    assert.match(await job.locator('.told').last().innerText(), new RegExp(String(body.job_id)));

    const webhook = page.locator('#post-webhooks');
    await webhook.getByRole('button', { name: 'Run', exact: true }).click();
    await webhook.getByText('This changes something in tests: POST /api/v1/webhooks.').waitFor();
    await webhook.getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual((await panel.world.send('GET', '/webhooks')).body.data, []);
    assert.equal(
      await page.locator('#get-events').getByRole('button', { name: 'Run', exact: true }).count(),
      0,
    );
  });

  test('the sample runs in the account that is chosen', async () => {
    await using panel = await openPanel();
    await panel.world.account('others', { creditMicros: 7_000_000n });
    const page = await reader(panel, '/docs/reference');
    const balance = page.locator('#get-balance');
    await balance.locator('.run select').focus();
    await balance.locator('.run select').selectOption('others');
    await balance.getByRole('button', { name: 'Run', exact: true }).click();
    await balance.getByText(/^200 in/).waitFor();
    assert.match(await balance.locator('.told').innerText(), /"available": "7\.00"/);
  });

  test('a stranger sees no button, and nobody is asked who they are', async () => {
    await using panel = await openPanel();
    const page = await panel.visitor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/docs/start/api');
    assert.equal(await page.locator('.run').count(), 0);
    assert.equal(asked.includes('/panel/session'), false);

    // The session of this reader has ended.
    await page.evaluate((id) => localStorage.setItem('darkroom.account', id), panel.world.accountId);
    const answer = page.waitForResponse('**/panel/session');
    await page.reload();
    assert.equal((await answer).status(), 401);
    await page.locator('.run').first().waitFor({ state: 'detached' });
  });
});
