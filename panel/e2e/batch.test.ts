import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { changeModel } from '../../server/test/world/change-model.ts';
import { check, checkAll } from './axe.ts';
import { createKeyDuring, holdAnswer } from './hold-answer.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';
import { within } from './within.ts';

suite('a batch in the panel', { skip }, () => {
  test('a list shows each image’s price and mistakes before it starts, and becomes a named batch', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    const page = await panel.operator();
    await page.goto(panel.at('/batches'));
    const lines = page.getByRole('region', { name: 'Images of the batch' }).getByRole('row');
    await within(page, 2, async (click) => {
      await click(page.getByRole('button', { name: 'New batch' }));
      await page.getByLabel('Prompts').fill('a fox, red\na hare');
      await lines.filter({ hasText: /^1a fox, redHigher quality1:11K\W*0\.04/ }).waitFor();
      await page.getByRole('button', { name: 'Make 2 images · 0.08 USD' }).waitFor();
      const table = 'prompt;model;ratio;size;mood\n"a fox; red";Top tier;16:9;2k;\na hare;nb;17:9;;glad\n';
      await page.locator('input[type=file]').setInputFiles({
        ...{ name: 'animals.csv', mimeType: 'text/csv', buffer: Buffer.from(table) },
      });
      await page.getByText('Not used: mood').waitFor();
      await lines.filter({ hasText: /^2a hareAspect ratio must be/ }).waitFor();
      const make = page.getByRole('button', { name: 'Make 2 images' });
      await settles(() => make.getAttribute('aria-disabled'), 'true');
      await check(page, 'a list with a mistake');
      await page.getByLabel('Prompts').fill(table.replace('17:9', '3:2').replaceAll(/;(mood|glad)$/gm, ''));
      await lines.filter({ hasText: /^1a fox; redTop tier16:92K\W*0\.10/ }).waitFor();
      await page.reload();
      await settles(() => page.getByLabel('Name').inputValue(), 'animals', 'as the file, and kept');
      await check(page, 'a list with its prices');
      await click(page.getByRole('button', { name: 'Make 2 images · 0.12 USD' }));
      await page.getByRole('region', { name: 'Batch' }).getByRole('heading', { name: 'animals' }).waitFor();
    });
    const { body } = await world.send('GET', '/batches');
    const [batch] = body.data as { name: string; price: string; jobs: number }[];
    assert.deepEqual([batch?.name, batch?.price, batch?.jobs], ['animals', '0.12', 2]);
    await page.goto(panel.at('/batches'));
    const row = page.getByRole('row', { name: /animals/ });
    for (const name of ['a fox; red', 'a hare']) await row.getByRole('img', { name, exact: true }).waitFor();
    await row.getByText('2 of 2').waitFor();
    await page.getByRole('button', { name: 'New batch' }).click();
    await settles(() => page.getByLabel('Prompts').inputValue(), '', 'what was made is not offered again');
  });

  test('a resolution is recognized in upper and lower case, and spelled as the model does', async () => {
    await using panel = await openPanel();
    await changeModel(panel.world, 'nb2', (before) => {
      const sizing = before?.resolutions['1K'] ?? assert.fail();
      return (
        before && { ...before, resolutions: { ...before.resolutions, '512px': { ...sizing, price: '0.01' } } }
      );
    });
    const page = await panel.operator();
    await page.goto(panel.at('/batches/new'));
    const table = 'prompt,model,size\na fox,nb2,512PX\na hare,nb2,2k\n';
    const list = page.getByLabel('Prompts');
    await list.fill(table);
    const lines = page.getByRole('region', { name: 'Images of the batch' }).getByRole('row');
    await lines.filter({ hasText: /^1a fox.*512px\W*0\.01/ }).waitFor();
    await lines.filter({ hasText: /^2a hare.*2K\W*0\.\d\d/ }).waitFor();
    await list.fill(table.replace('2k', 'huge'));
    await lines.filter({ hasText: /^2a hare.*Resolution must be/ }).waitFor();
  });

  test('if it is accepted late, it neither leads away from another page nor removes the next list', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const answer = await holdAnswer(page, /\/api\/v1\/batches$/);
    await page.goto(panel.at('/batches/new'));
    await page.getByLabel('Prompts').fill('a fox');
    await page.getByRole('button', { name: 'Make image · 0.04 USD' }).click();
    await page.getByRole('link', { name: 'Make', exact: true }).click();
    await page.getByRole('button', { name: 'New batch' }).click();
    await page.getByLabel('Prompts').fill('a hare\na bear');
    await createKeyDuring(page, answer);
    await page.goto(panel.at('/batches/new'));
    await settles(() => page.getByLabel('Prompts').inputValue(), 'a hare\na bear');
  });

  test('its price is requested again while the server is busy', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const told = Promise.withResolvers<void>();
    let asked = 0;
    await page.route(/\/batches\?.*dry_run=true/, async (route) => {
      asked += 1;
      if (asked > 1) return told.promise.then(() => route.continue());
      const problem = { title: 'Service unavailable', status: 503, code: 'unavailable', detail: 'Busy.' };
      await route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: problem });
    });
    await page.goto(panel.at('/batches/new'));
    await page.getByLabel('Prompts').fill('a fox');
    await page.getByText('Service unavailable. Asking again what it costs…').first().waitFor();
    told.resolve();
    await page.getByRole('button', { name: 'Make image · 0.04 USD' }).waitFor();
  });

  test('its remaining jobs are cancelled on their page, and its jobs link back to it', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    world.provider.handler = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const requests = ['a fox', 'a hare', 'an owl'].map((prompt) => ({
      model: 'nb',
      mode: 'text',
      body: { prompt, aspect_ratio: '16:9' },
    }));
    const { body } = await world.send('POST', '/batches', { body: { requests } });
    const batchId = String(body.batch_id);
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    await page.getByRole('button', { name: 'Batches' }).click();
    const row = page.getByRole('row', { name: /0 of 3/ });
    await row.getByText('Processing').waitFor();
    await row.getByRole('link').click();
    const strip = page.getByRole('region', { name: 'Batch' });
    await strip.getByRole('button', { name: 'Cancel the rest…' }).click();
    await page.getByRole('button', { name: 'Cancel 3 jobs' }).click();
    await strip.getByText('Cancelled').waitFor();
    await settles(() => strip.innerText(), /3 of 3/);
    await settles(() => strip.getByRole('button').count(), 0, 'nothing is left to cancel');
    const downloading = page.waitForEvent('download');
    await strip.getByRole('link', { name: 'Download results' }).click();
    assert.equal((await downloading).suggestedFilename(), `batch-${batchId}.jsonl`);
    const jobs = (await world.send('GET', `/jobs?batch_id=${batchId}`)).body.data as { job_id: string }[];
    await page.goto(panel.at(`/jobs/${jobs[0]?.job_id}`));
    const facts = page.getByRole('complementary', { name: 'Facts' });
    await facts.getByRole('link', { name: new RegExp(`^${batchId.slice(0, 8)}`) }).click();
    await page.waitForURL(`**/jobs?batch=${batchId}`);
    await checkAll(page, [panel.at('/batches')]);
  });

  test('its jobs are shown with its progress, and a button removes the filter', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await world.finished(await world.create());
    const requests = ['a fox', 'a hare', 'an owl'].map((prompt) => ({
      model: 'nb',
      mode: 'text',
      body: { prompt, aspect_ratio: '16:9' },
    }));
    const { body } = await world.send('POST', '/batches', { body: { requests } });
    while ((await world.send('GET', `/batches/${body.batch_id}`)).body.status !== 'done');
    const page = await panel.operator();
    await page.goto(panel.at(`/jobs?batch=${body.batch_id}`));
    const tiles = page.locator('[data-index]');
    await tiles.nth(2).waitFor();
    await settles(() => tiles.count(), 3);
    const strip = page.getByRole('region', { name: 'Batch' });
    await settles(() => strip.innerText(), /3 of 3/);
    await check(page, 'the jobs of a batch');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download images' }).click();
    assert.equal((await downloading).suggestedFilename(), `batch-${body.batch_id}.zip`);
    await page.getByRole('button', { name: /^Batch …/ }).click();
    await tiles.nth(3).waitFor();
    await strip.waitFor({ state: 'detached' });
  });
});
