import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

suite('the palette', { skip }, () => {
  test('finds pages, jobs and actions by typing, and remembers the choices', async () => {
    await using panel = await openPanel();
    const { accountId } = await panel.world.account('other');
    const jobId = await panel.world.create(undefined, { prompt: 'a heron in the reeds' });
    await panel.world.finished(jobId);
    const page = await panel.operator();
    await page.goto(panel.at());
    await page.getByRole('heading', { name: 'tests' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Page, image or action' });
    const type = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.locator('[role="combobox"]:focus').waitFor();
      await page.keyboard.type(text);
    };
    const choose = async (text: string, name: string | RegExp) => {
      await type(text);
      await page.getByRole('option', { name, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
    };

    await choose('web', 'Webhooks');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await settles(() => page.evaluate(() => document.activeElement?.id), 'main', 'the page has the focus');
    await choose('heron', /a heron in the reeds/);
    await page.waitForURL(panel.at(`/jobs/${jobId}`));
    await choose('dark', 'Dark theme');
    await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === 'dark');
    await choose('system', /^System/);
    await page.waitForURL('/operator/system');
    // The page takes the focus once it is shown.
    await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
    await choose('theme sys', 'System theme');
    await choose('other', 'Switch to other');
    await page.waitForURL(panel.at('', accountId));

    await page.goto(panel.at('/keys'));
    await page.getByRole('button', { name: 'Search' }).click();
    assert.deepEqual(await names(page, 'Recent'), [
      'Switch to other',
      'System theme',
      'System',
      'Dark theme',
      'a heron in the reeds',
    ]);
    await check(page, 'the palette');
    const selected = page.getByRole('option', { selected: true });
    const first = await selected.innerText();
    await page.keyboard.press('ArrowUp');
    const told = await page.evaluate(
      () =>
        document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')
          ?.innerText,
    );
    assert.equal(told, await selected.innerText(), 'the field tells which one is selected');
    await page.keyboard.press('ArrowDown');
    await settles(() => selected.innerText(), first, 'from the last one to the first');
    await page.keyboard.type('zzz');
    await page.getByText('Nothing has this name.').waitFor();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    const returned = () => document.activeElement?.textContent?.includes('Search');
    await page.waitForFunction(returned);

    await type('api key');
    await page.getByRole('option', { name: 'Create an API key' }).click();
    await page.getByRole('dialog', { name: 'Create an API key' }).waitFor();
    await page.keyboard.press('Control+k');
    assert.equal(await page.getByRole('dialog').count(), 1, 'what is being written is not covered');
  });

  test('takes what is typed while it is loaded, which does nothing to the page behind it', async () => {
    await using panel = await openPanel();
    const jobId = await panel.world.create();
    await panel.world.finished(jobId);
    const page = await panel.operator();
    const code = Promise.withResolvers<void>();
    await page.route(/\/palette-[^/]*\.js$/, async (route) => {
      await code.promise;
      await route.continue();
    });
    const marks: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/jobs/tags')) marks.push(request.postData() ?? '');
    });
    await page.goto(panel.at(`/jobs/${jobId}`));
    const star = page.getByRole('button', { name: 'Star' });
    await star.waitFor();
    const loading = page.waitForRequest(/\/palette-[^/]*\.js$/);
    await page.keyboard.press('Control+k');
    await loading;
    const prevented = await page.evaluate(() =>
      [{ key: 'F5' }, { key: 'F12' }, { key: 'Process' }, { key: 'Dead' }, { key: 'k', isComposing: true }]
        .map((init) => new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }))
        .filter((event) => !document.body.dispatchEvent(event))
        .map(({ key }) => key),
    );
    assert.deepEqual(prevented, [], 'keys of the browser and of input methods');
    await page.keyboard.type('syx');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('s');
    code.resolve();
    const field = page.getByRole('combobox', { name: 'Page, image or action' });
    await page
      .getByRole('option', { name: /^System/ })
      .first()
      .waitFor();
    assert.equal(await field.inputValue(), 'sys');
    await page.keyboard.type('tem');
    assert.equal(await field.inputValue(), 'system', 'typing goes on where it was');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    assert.equal(await star.getAttribute('aria-pressed'), 'false');
    assert.deepEqual(marks, []);
    await page.keyboard.press('s');
    await page.waitForFunction(() => document.querySelector('[aria-label="Star"][aria-pressed="true"]'));
  });
});

async function names(page: Page, group: string): Promise<string[]> {
  const options = page.getByRole('group', { name: group }).getByRole('option');
  await options.first().waitFor();
  const texts = await options.allInnerTexts();
  return texts.map((text) => text.split('\n')[0] ?? '');
}
