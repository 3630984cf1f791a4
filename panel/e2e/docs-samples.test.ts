import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { changePrice } from '../../server/test/world/change-model.ts';
import { assertFits, check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';
import { countVitals, readVitals } from './vitals.ts';

suite('samples run in a browser', { skip }, () => {
  const rowOf = (page: Page, text: string) => page.locator('figure.code', { hasText: text }).first();

  const jobsOf = async ({ world }: Panel) =>
    (await world.send('GET', '/jobs')).body.data as { job_id: string }[];

  async function fillIn(page: Page, call: Locator, text: string): Promise<void> {
    await call.getByRole('button', { name: 'Run', exact: true }).click();
    await call.locator('input:focus').waitFor();
    await page.keyboard.type(text);
  }

  async function reader(panel: Panel, path: string): Promise<Page> {
    const page = await panel.operator();
    await page.goto(panel.at());
    await page.waitForFunction(() => localStorage.getItem('darkroom.account') !== null);
    await page.addInitScript(countVitals);
    await page.goto(path);
    await page.locator('.run strong, .run select').first().waitFor({ state: 'attached' });
    const { shift, moved } = await readVitals(page);
    assert.ok(shift < 0.05, `${path} moves by ${shift}: ${moved.join(' | ')}`);
    return page;
  }

  test('a create shows its price, and runs in the account only once it is confirmed, by keyboard alone', async () => {
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

  test('the reference’s reads run at once, and a call with a value to fill in asks for it', async () => {
    await using panel = await openPanel();
    const page = await reader(panel, '/docs/reference');
    const balance = page.locator('#get-balance');
    await balance.getByRole('button', { name: 'Run', exact: true }).click();
    await balance.getByText(/^200 in/).waitFor();
    assert.match(await balance.locator('.told').innerText(), /"available": "100\.00"/);

    const job = page.locator('#get-jobs-job_id');
    const { body } = await panel.world.send('POST', '/nb2/text-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1' },
    });
    await fillIn(page, job, String(body.job_id));
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

  test('a job is made again at the confirmed price, which is the current one', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    const page = await reader(panel, '/docs/reference');
    const first = await world.create('/nb2/text-generations');
    assert.equal((await world.finished(first)).price, '0.04');
    await changePrice(world, 'nb2', '0.05');
    const again = page.locator('#post-jobs-job_id-again');
    await fillIn(page, again, first);
    const send = again.getByRole('button', { name: 'Send POST' });
    await send.click();
    await again.getByText('This costs $0.05, which tests pays.').waitFor();
    await again.getByRole('button', { name: 'Run for $0.05' }).click();
    await again.getByText(/, job done$/).waitFor();
    const made = JSON.parse(await again.getByLabel('Answer', { exact: true }).innerText());
    assert.equal(made.price, '0.05');

    await changePrice(world, 'nb2', '1000');
    await send.click();
    await again.getByText(/^Not now: .*1000/).waitFor();
    await changePrice(world, 'nb2', '0.05');
    assert.equal((await world.send('DELETE', `/jobs/${first}/image`)).status, 204);
    await send.click();
    await again.locator('.status', { hasText: '410' }).waitFor();
    assert.match(await again.getByLabel('Answer', { exact: true }).innerText(), /"code": "image_gone"/);
    assert.equal((await jobsOf(panel)).length, 2);
  });

  test('a call whose answer is lost is made once, however often it runs, and the next call is a new one', async () => {
    await using panel = await openPanel();
    const page = await reader(panel, '/docs/start/api');
    const sample = rowOf(page, 'curl -sS');
    const run = sample.getByRole('button', { name: 'Run', exact: true });
    const creates: string[] = [];
    await page.route(/text-generations$/, async (route) => {
      creates.push(route.request().headers()['idempotency-key'] ?? assert.fail('a create without a key'));
      if (creates.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await run.click();
    await sample.getByRole('button', { name: /^Run for/ }).click();
    await sample.getByText(/^No answer: .* charged, only once\.$/).waitFor();
    await run.click();
    await sample.getByText(/^The last try was perhaps made\./).waitFor();
    await check(page, 'the question after an answer that was lost');
    await sample.getByRole('button', { name: 'Run it' }).click();
    await sample.getByText(/job done$/).waitFor();
    assert.equal((await jobsOf(panel)).length, 1);

    await run.click();
    await sample.getByRole('button', { name: /^Run for/ }).click();
    await settles(async () => (await jobsOf(panel)).length, 2);
    assert.deepEqual([creates[0] === creates[1], creates[1] === creates[2]], [true, false]);
  });

  test('if the state cannot be read, the accepted job stays, and the page says that it continues', async () => {
    await using panel = await openPanel({ worker: false });
    const page = await reader(panel, '/docs/reference');
    await page.route(/\/api\/v1\/jobs\/[^/]+$/, (route) => route.abort());
    await page.route(/text-generations$/, (route) => {
      const { prefer: _, ...headers } = route.request().headers();
      return route.continue({ headers });
    });
    const create = page.locator('[data-method=POST][data-path$="/nb2/text-generations"]');
    await create.getByRole('button', { name: 'Run', exact: true }).first().click();
    await create.getByRole('button', { name: /^Run for/ }).click();
    await create.getByText(/^202 in \d+ ms\. The job goes on, but its state cannot be read: /).waitFor();
    const [job] = await jobsOf(panel);
    assert.match(
      await create.getByLabel('Answer', { exact: true }).innerText(),
      new RegExp(`${job?.job_id}`),
    );
  });

  test('a running call keeps its button disabled, even if another account is chosen, and is made once', async () => {
    await using panel = await openPanel();
    await panel.world.account('others', { creditMicros: 7_000_000n });
    const page = await reader(panel, '/docs/start/api');
    const sample = rowOf(page, 'curl -sS');
    const run = sample.getByRole('button', { name: 'Run', exact: true });
    const sent = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let creates = 0;
    await page.route(/text-generations$/, async (route) => {
      creates += 1;
      sent.resolve();
      await released.promise;
      return route.continue();
    });
    await run.dblclick();
    await sample.getByRole('button', { name: /^Run for/ }).dblclick();
    await sent.promise;
    const keys = page.waitForResponse(/\/api\/v1\/keys/);
    await sample.locator('.run select').focus();
    await sample.locator('.run select').selectOption('others');
    await keys;
    assert.equal(await run.isDisabled(), true);
    released.resolve();
    await sample.getByText(/job done$/).waitFor();
    assert.deepEqual([creates, (await jobsOf(panel)).length], [1, 1], 'it was made for the first account');
  });

  test('the key of an account that is no longer chosen is not shown', async () => {
    await using panel = await openPanel();
    const others = await panel.world.account('others');
    const page = await reader(panel, '/docs/start/api');
    const key = rowOf(page, 'curl -sS').locator('.run a');
    const released = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/keys/, async (route) => {
      if (route.request().headers()['darkroom-account'] === panel.world.accountId) await released.promise;
      return route.continue();
    });
    const choose = async (name: string) => {
      const choice = rowOf(page, 'curl -sS').locator('.run select');
      await choice.focus();
      await choice.selectOption(name);
    };
    await choose('others');
    await key.waitFor();
    await choose('tests');
    await choose('others');
    await key.waitFor();
    const late = page.waitForResponse(
      async (answer) => (await answer.request().allHeaders())['darkroom-account'] === panel.world.accountId,
    );
    released.resolve();
    await (await late).finished();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.match(
      (await key.getAttribute('href')) ?? '',
      new RegExp(`^${panel.at('/keys/', others.accountId)}`),
    );
  });

  test('the sample runs in the chosen account', async () => {
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

  test('a stranger sees no button, and is not asked to sign in', async () => {
    await using panel = await openPanel();
    const page = await panel.visitor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto('/docs/start/api');
    assert.equal(await page.locator('.run').count(), 0);
    assert.equal(asked.includes('/panel/session'), false);

    // The browser remembers the account of a session that has ended.
    await page.evaluate((id) => localStorage.setItem('darkroom.account', id), panel.world.accountId);
    const answer = page.waitForResponse('**/panel/session');
    await page.reload();
    assert.equal((await answer).status(), 401);
    await page.locator('.run').first().waitFor({ state: 'detached' });
  });
});
