import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { check } from './axe.ts';
import { openPanel, skip } from './support.ts';

suite('a batch in the panel', { skip }, () => {
  test('its jobs are shown with how far it is, and the filter goes away with its button', async () => {
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
    assert.equal(await tiles.count(), 3);
    const strip = page.getByRole('region', { name: 'Batch' });
    assert.match(await strip.innerText(), /3 of 3/);
    await check(page, 'the jobs of a batch');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download images' }).click();
    assert.equal((await downloading).suggestedFilename(), `batch-${body.batch_id}.zip`);
    await page.getByRole('button', { name: /^Batch/ }).click();
    await tiles.nth(3).waitFor();
    await strip.waitFor({ state: 'detached' });
  });
});
