import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { dayMs } from '../../server/src/accounts/retention/retention.ts';
import { eventually } from '../../server/test/http/support/requests.ts';
import { drawing } from '../../server/test/images/support/drawing.ts';
import { openMember } from '../../server/test/panel/browser.ts';
import { email } from '../../server/test/panel/support/member.ts';
import { keep } from '../../server/test/world/expire.ts';
import { check } from './axe.ts';
import { createKeyDuring, holdAnswer } from './hold-answer.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';

suite('one image', { skip }, () => {
  test('is starred and deleted while it is open, by buttons and keys, and the next one is shown', async () => {
    await using panel = await openPanel({ config: { retention: { stars: 5 } } });
    const [, middle = '', newest = ''] = await make(panel, ['a heron', 'an owl', 'a swift']);
    const page = await panel.operator();
    await page.goto(panel.at(`/jobs?show=${newest}`));
    const shown = page.getByRole('dialog', { name: 'a swift' });
    const star = shown.getByRole('button', { name: 'Star' });
    await star.waitFor();
    await shown.getByText(/^Kept until \d{4}-\d\d-\d\d$/).waitFor();
    await page.keyboard.press('s');
    await shown.getByText('Starred: stays').waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-label="Star"][aria-pressed="true"]'));
    await check(page, 'the lightbox with a star');
    assert.equal(
      await shown.getByRole('button', { name: 'Edit', exact: true }).count(),
      0,
      'no model takes masks',
    );
    await page.keyboard.press('Delete');
    const asked = page.getByRole('dialog', { name: 'Delete this image?' });
    await asked.waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    assert.equal(
      await shown.isVisible(),
      true,
      'the question alone was closed, about the image that was shown',
    );
    await shown.getByRole('button', { name: 'Delete' }).click();
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'an owl' }).waitFor();
    await page.goto(panel.at(`/jobs/${middle}`));
    await eventually(
      async () => (await panel.world.finished(newest)).result as { image_deleted_at?: string },
      (result) => result.image_deleted_at !== undefined,
    );
    await page.getByRole('button', { name: 'Star' }).click();
    await page.waitForFunction(() => document.querySelector('[aria-label="Star"][aria-pressed="true"]'));
    await page.keyboard.press('Delete');
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.locator('[aria-keyshortcuts="Delete"]').waitFor({ state: 'detached' });
    await page.getByText('The image is deleted', { exact: true }).waitFor();
    await page.goto(panel.at('/jobs?starred=yes'));
    await page.getByText('No images match').waitFor();
    await page.goto(panel.at('/jobs?starred=yes&view=table'));
    await page.getByRole('row').nth(2).waitFor();
  });

  test('that is run again does not lead away from another page, if the answer comes late', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const [jobId = ''] = await make(panel, ['a heron']);
    const answer = await holdAnswer(page, /\/again$/);
    await page.goto(panel.at(`/jobs/${jobId}`));
    await page.getByRole('button', { name: 'Run again' }).click();
    await createKeyDuring(page, answer);
  });

  test('stays when retention has deleted its prompt', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const [jobId = ''] = await make(panel, ['a heron']);
    await panel.world.elapse(2 * dayMs);
    assert.deepEqual(await keep(panel.world.app, { jobs: 30, pictures: 3, prompts: 1 }), { prompts: 1 });
    await page.goto(panel.at('/jobs'));
    await page.getByRole('link', { name: 'The prompt was deleted' }).click();
    const shown = page.getByRole('dialog');
    await shown.getByRole('button', { name: 'Use as input' }).waitFor();
    await shown.getByRole('button', { name: 'Delete', exact: true }).waitFor();
    for (const name of ['Run again', 'Copy prompt'])
      assert.equal(await shown.getByRole('button', { name }).count(), 0, name);
    await check(page, 'the lightbox without a prompt');
    await page.goto(panel.at(`/jobs/${jobId}`));
    await page.getByText('The prompt was deleted').waitFor();
    assert.equal(await page.getByText('The image is deleted').count(), 0);
  });

  test('keeps the last of two marks, though the first takes longer', async () => {
    await using panel = await openPanel();
    const [jobId = ''] = await make(panel, ['a heron']);
    const page = await panel.operator();
    const first = Promise.withResolvers<void>();
    let sent = 0;
    await page.route(/\/api\/v1\/jobs\/tags/, async (route) => {
      sent += 1;
      if (sent === 1) await first.promise;
      await route.continue();
    });
    await page.goto(panel.at(`/jobs/${jobId}`));
    const shows = (pressed: boolean) =>
      page.locator(`[aria-label="Star"][aria-pressed="${pressed}"]`).waitFor();
    await shows(false);
    await page.keyboard.press('s');
    await shows(true);
    await page.keyboard.press('s');
    await shows(false);
    assert.equal(sent, 1, 'the second waits for the first');
    let answers = 0;
    const answered = page.waitForResponse((answer) => {
      if (/\/jobs\/tags/.test(answer.url())) answers += 1;
      return answers === 2;
    });
    first.resolve();
    await answered;
    await page.reload();
    await shows(false);
  });

  test('that is made from an edited request names its origin, unless the form was emptied', async () => {
    await using panel = await openPanel();
    const [source = ''] = await make(panel, ['a heron in the reeds']);
    const page = await panel.operator();
    await page.goto(panel.at(`/jobs/${source}`));
    await page.getByRole('button', { name: 'Change the prompt' }).click();
    await page.getByText('Edited from').waitFor();
    await page.getByLabel('Prompt').fill('a heron at dusk');
    await page.reload();
    await page.getByText('Edited from').waitFor();
    const edited = await makeAnother(page);
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByText('Edited from').waitFor({ state: 'detached' });
    await page.getByLabel('Prompt').fill('a heron at dawn');
    const anew = await makeAnother(page);
    const member = await openMember(panel.world, { email });
    const originOf = async (job_id: string) =>
      (await member.call('GET /panel/accounts/:account_id/jobs/:job_id', { params: { job_id } })).job
        .origin ?? null;
    assert.deepEqual(await originOf(edited), { job_id: source, kind: 'edit' });
    assert.equal(await originOf(anew), null);

    await panel.world.finished(edited);
    await page.goto(panel.at(`/jobs/${edited}`));
    const shown = page.locator('[aria-current="true"]', { hasText: 'This job' });
    await shown.waitFor();
    await settles(() => shown.locator('del, ins').allInnerTexts(), ['in the reeds', 'at dusk']);
    await check(page, 'the lineage of a job');
    await page.getByRole('link', { name: 'First job a heron in the reeds' }).click();
    await page.getByRole('link', { name: /^Edited/ }).waitFor();
  });

  test('leads to similar images, and duplicates are found', async () => {
    await using panel = await openPanel();
    panel.world.provider.handler = async ({ prompt, width, height }) => ({
      bytes: await drawing(prompt.replace(/ again$/, ''), width, height),
    });
    const ids = await make(panel, ['a hill', 'a hill again', 'a sea']);
    for (const id of ids) {
      const { thumbnail_url: link } = (await panel.world.finished(id)).result as { thumbnail_url: string };
      assert.equal((await fetch(link)).status, 200); // fetching the rendition makes the imprint
    }
    const page = await panel.operator();
    await page.goto(panel.at(`/jobs?show=${ids[0]}`));
    const tiles = page.locator('[data-index]');
    const shows = (count: number) =>
      page.waitForFunction((most) => document.querySelectorAll('[data-index]').length === most, count);
    await page.getByRole('link', { name: 'Similar images' }).click();
    await shows(2);
    await page.getByRole('button', { name: `Similar to …${ids[0]?.slice(-6)}` }).click();
    await shows(3);
    await page.getByRole('button', { name: /^Filters/ }).click();
    await page.getByRole('button', { name: 'Duplicates' }).click();
    await shows(2);
    const shown = await tiles.evaluateAll((all) =>
      all.map((tile) => (tile.closest('a') ?? tile.querySelector('a'))?.href),
    );
    assert.deepEqual(
      shown.map((href) => new URL(href ?? '').searchParams.get('show')),
      [ids[1], ids[0]],
    );
    await check(page, 'images that are there twice');
  });
});

async function make({ world }: Panel, prompts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const prompt of prompts) {
    ids.push(await world.create('/nb2/text-generations', { prompt }));
    await world.finished(ids.at(-1) ?? '');
  }
  return ids;
}

async function makeAnother(page: Page): Promise<string> {
  const [made] = await Promise.all([
    page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && /text-generations$/.test(answer.url()),
    ),
    page.getByRole('button', { name: /^Make image/ }).click(),
  ]);
  return ((await made.json()) as { job_id: string }).job_id;
}
