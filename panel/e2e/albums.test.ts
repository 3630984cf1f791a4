import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openMember } from '../../server/test/panel/browser.ts';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';
import { within } from './within.ts';

suite('albums', { skip }, () => {
  test('images are added from the gallery, ordered by dragging and by keys, and shared by one link', async () => {
    await using panel = await openPanel({ env: { DARKROOM_SHARING: 'true' } });
    const { world } = panel;
    for (const prompt of ['a heron', 'an owl', 'a swift'])
      await world.finished(await world.create('/nb2/text-generations', { prompt }));
    const page = await panel.operator();
    await page.goto(panel.at('/jobs'));
    const bar = page.getByRole('region', { name: /^Selected/ });
    await within(page, 6, async (click) => {
      for (const prompt of ['a swift', 'an owl', 'a heron']) {
        await page.locator('[data-index]').filter({ hasText: prompt }).hover();
        await click(page.getByRole('button', { name: `Select ${prompt}` }));
      }
      await click(bar.getByRole('button', { name: 'Add to album' }));
      await click(page.getByRole('menuitem', { name: 'New album' }));
      await page.getByLabel('Name').fill('Birds');
      await click(page.getByRole('button', { name: 'Make album' }));
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
    await page.getByRole('link', { name: 'Albums', exact: true }).click();
    await page.getByRole('heading', { name: 'Albums', exact: true }).waitFor();
    await page.getByRole('link', { name: /Birds/ }).waitFor();
    await check(page, 'albums');
    await page.getByRole('link', { name: /Birds/ }).click();
    await page.getByRole('heading', { name: 'Birds' }).waitFor();
    await settles(() => order(page), ['a swift', 'an owl', 'a heron']);
    await check(page, 'an album');

    const images = page.getByRole('list', { name: 'Images of the album' }).getByRole('listitem');
    await written(page, () => images.nth(2).dragTo(images.nth(0)));
    await settles(() => order(page), ['a heron', 'a swift', 'an owl']);
    const forward = page.getByRole('button', { name: 'Move a heron forward' });
    await written(page, () => forward.press('Enter'));
    await settles(() => order(page), ['a swift', 'a heron', 'an owl']);
    await written(page, () => page.getByRole('button', { name: 'Take a swift out' }).click());
    await page.reload();
    await images.first().waitFor();
    await settles(() => order(page), ['a heron', 'an owl'], 'it is kept');

    const [archive] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    assert.equal(archive.suggestedFilename(), 'images.zip');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Make a public link' }).click();
    const link = page.getByRole('list', { name: 'Public links' }).getByRole('link', { name: 'An album' });
    const shared = (await link.getAttribute('href')) ?? '';
    assert.equal((await (await fetch(shared)).text()).match(/<figure>/g)?.length, 2);
    assert.equal((await fetch(new URL('/favicon.ico', shared))).status, 200);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Waders');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Waders' }).waitFor();
    await page.getByRole('button', { name: 'Delete Waders' }).click();
    await page.getByRole('button', { name: 'Delete album' }).click();
    await page.getByText('No albums yet').waitFor();
    assert.equal((await fetch(shared)).status, 410);
  });

  test('moving or taking out an image keeps what another member added or took out meanwhile', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    const ids: Record<string, string> = {};
    for (const prompt of ['a heron', 'an owl', 'a swift', 'a crane', 'a robin']) {
      const id = await world.create('/nb2/text-generations', { prompt });
      await world.finished(id);
      ids[prompt] = id;
    }
    const { 'a robin': robin = '', ...others } = ids;
    const member = await openMember(world, { email: 'other@example.com' });
    const { album_id } = await member.call('POST /api/v1/albums', {
      params: { account_id: world.accountId },
      body: { name: 'Birds', add: Object.values(others) },
    });
    const params = { account_id: world.accountId, album_id };
    const page = await panel.operator();
    await page.goto(panel.at(`/albums/${album_id}`));
    await settles(() => order(page), ['a heron', 'an owl', 'a swift', 'a crane']);

    const otherChanges = { add: [robin], job_ids: [ids['a heron'], ids['an owl'], ids['a swift']] };
    await member.call('PATCH /api/v1/albums/:album_id', { params, body: otherChanges });
    const back = page.getByRole('button', { name: 'Move a swift back' });
    await written(page, () => back.click());
    await settles(() => order(page), ['a heron', 'a swift', 'an owl', 'a robin']);

    await member.call('PATCH /api/v1/albums/:album_id', { params, body: { add: [ids['a crane']] } });
    await written(page, () => page.getByRole('button', { name: 'Take an owl out' }).click());
    await settles(() => order(page), ['a heron', 'a swift', 'a robin', 'a crane']);
  });
});

function order(page: Page): Promise<(string | null)[]> {
  const images = page.getByRole('list', { name: 'Images of the album' }).locator('img');
  return images.evaluateAll((all) => all.map((one) => one.getAttribute('alt')));
}

async function written(page: Page, act: () => Promise<void>): Promise<void> {
  let isWritten = false;
  const read = page.waitForResponse((answer) => {
    if (!/\/albums\/[0-9a-f-]{36}$/.test(answer.url())) return false;
    const isRead = answer.request().method() === 'GET';
    isWritten ||= !isRead;
    return isRead && isWritten;
  });
  await act();
  await read;
}
