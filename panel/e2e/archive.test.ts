import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';
import { within } from './within.ts';

suite('an account is exported and erased', { skip }, () => {
  test('an operator exports it, types its name and erases it, in four clicks', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await world.finished(await world.create('/nb2/text-generations', { prompt: 'a heron' }));
    const page = await panel.operator();
    await page.goto('/operator/accounts');
    await within(page, 4, async (click) => {
      await click(page.getByRole('link', { name: 'tests' }).last());
      await click(page.getByRole('link', { name: 'Export and erase' }));
      const [archive] = await Promise.all([
        page.waitForEvent('download'),
        click(page.getByRole('button', { name: 'Export' })),
      ]);
      await page.getByText(/^Exported, /).waitFor();
      assert.equal(archive.suggestedFilename(), `account-${world.accountId}.zip`);
      assert.equal((await readFile(await archive.path())).subarray(0, 2).toString(), 'PK');
      const erase = page.getByRole('button', { name: 'Erase account' });
      await page.getByLabel('Type tests to confirm').fill('Tests');
      await settles(() => erase.getAttribute('aria-disabled'), 'true', 'not with another name');
      await check(page, 'export and erase');
      await page.getByLabel('Type tests to confirm').fill('tests');
      await click(erase);
      await page.getByText('This account was erased', { exact: true }).waitFor();
    });
    assert.equal((await world.send('GET', '/balance')).status, 401);
    await page.goto(`/operator/accounts/${world.accountId}/data`);
    await page.getByText('This account was erased', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Erase account' }).count(), 0);
  });
});
