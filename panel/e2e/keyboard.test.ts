import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

/** More tab stops than any page needs. */
const stopsAtMost = 80;

suite('the keyboard alone', { skip }, () => {
  test('creates a key: the focus goes into the dialog, stays there, and returns', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at('/keys'));
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('typed');
    for (let stop = 0; stop < 20; stop++) {
      await page.keyboard.press('Tab');
      const inside = await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null);
      assert.ok(inside, 'focus left the dialog');
    }
    await page.keyboard.press('Escape');
    // Mantine restores the focus by a timer, perhaps after the dialog has closed.
    await page.waitForFunction(() => document.activeElement?.textContent?.trim() === 'Create key');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('typed');
    await page.keyboard.press('Enter');
    await page.getByText('This is the only time it is shown').waitFor();
    await tabTo(page, 'I have saved it');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /typed/ }).waitFor();
  });

  test('makes an image: radio buttons by arrows, the prompt by typing, the end announced to screen readers', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at('/make'));
    await page.getByLabel('Prompt').waitFor();
    await page.evaluate(() => document.getElementById('main')?.focus());
    await tabTo(page, 'Prompt');
    await page.keyboard.type('a heron in the reeds');
    for (const choice of ['Model: Higher quality', 'Aspect ratio: 1:1']) {
      await tabTo(page, choice);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => (document.activeElement as HTMLInputElement).type === 'radio');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => (document.activeElement as HTMLElement).tagName === 'BUTTON');
    }
    await tabTo(page, 'Make image · 0.08 USD');
    assert.ok(await isFocusSeen(page));
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'a heron in the reeds' }).waitFor();
    await page.locator('[role="status"]', { hasText: 'Image done' }).waitFor({ state: 'attached' });
    const [made] = panel.world.provider.requests;
    const job = await panel.world.finished(made?.request.jobId ?? '');
    assert.deepEqual([job.model, job.aspect_ratio], ['pro', '2:3']);
  });

  test('every page has its own title and one heading, and marks its place in the navigation', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const titles = new Set<string>();
    const paths = ['', '/make', '/jobs', '/keys', '/balance', '/usage', '/webhooks'].map((path) =>
      panel.at(path),
    );
    for (const path of [
      ...paths,
      '/operator/accounts',
      '/operator/models',
      '/operator/system',
      '/operator/audit',
    ]) {
      await page.goto(path);
      await page.locator('nav [aria-current="page"]').first().waitFor();
      await settles(() => page.locator('h1').count(), 1, path);
      // Until the page has loaded, the title is only the product's name.
      await settles(() => page.title(), / · /);
      titles.add(await page.title());
    }
    assert.equal(titles.size, 11);
  });
});

async function tabTo(page: Page, name: string): Promise<void> {
  for (let stop = 0; stop < stopsAtMost; stop++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === name) return;
  }
  assert.fail(`the keyboard does not reach "${name}"`);
}

/** The name of the focused element: its text, its label, or the value of a radio button. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element instanceof HTMLInputElement && element.type === 'radio') return element.value;
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      return element.labels?.[0]?.textContent ?? '';
    }
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '';
  });
}

function isFocusSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const style = document.activeElement && getComputedStyle(document.activeElement);
    return style !== null && style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2;
  });
}
