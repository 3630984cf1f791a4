import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { addPerson, password } from '../../server/test/panel/browser.ts';
import { check, checkDialog } from './axe.ts';
import { openPanel, skip } from './support.ts';

suite('the account', { skip }, () => {
  test('a right-to-left prompt does not reverse the text next to it in the ledger', async () => {
    await using panel = await openPanel();
    await panel.world.finished(
      await panel.world.create('/nb2/text-generations', { prompt: '\u202elive gpj.exe' }),
    );
    const page = await panel.operator();
    await page.goto(panel.at('/balance'));
    const outcome = page.getByRole('row', { name: /charged/ }).locator('span', { hasText: 'charged' });
    const [first = 0, last = 0] = await outcome.evaluate(({ lastChild: text }) =>
      ['c', 'd'].map((letter) => {
        const at = text?.textContent?.indexOf(letter) ?? 0;
        const range = document.createRange();
        if (text) range.setStart(text, at);
        if (text) range.setEnd(text, at + 1);
        return range.getBoundingClientRect().x;
      }),
    );
    assert.ok(first < last, `c is at ${first}, d at ${last}`);
  });

  test('an owner changes a member’s role; the retention is shown, and an operator changes it', async () => {
    await using panel = await openPanel();
    const { accountId } = panel.world;
    await addPerson(panel.world, { email: 'ada@example.com', accountId });
    await addPerson(panel.world, { email: 'grace@example.com', accountId });
    const operator = await panel.operator();
    await operator.goto(`/operator/accounts/${accountId}`);
    await operator.getByRole('button', { name: 'Change what is kept' }).click();
    const dialog = operator.getByRole('dialog');
    await dialog.getByLabel('Images', { exact: true }).fill('0');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('A whole number from 1 to 36,500').waitFor();
    await dialog.getByLabel('Images', { exact: true }).fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await operator.getByRole('row', { name: /Images 7 days for this account/ }).waitFor();

    const owner = await panel.visitor();
    await owner.goto('/sign-in');
    await owner.getByLabel('Email').fill('ada@example.com');
    await owner.getByRole('textbox', { name: 'Password' }).fill(password);
    await owner.getByRole('button', { name: 'Sign in', exact: true }).click();
    await owner.getByRole('link', { name: 'Account', exact: true }).click();
    await owner.getByRole('row', { name: /Images 7 days/ }).waitFor();
    assert.equal(await owner.getByRole('button', { name: 'Change what is kept' }).count(), 0);
    assert.equal(await owner.getByLabel('Role of ada@example.com').count(), 0, 'not their own');
    const role = owner.getByLabel('Role of grace@example.com');
    const changed = owner.waitForResponse((response) => response.request().method() === 'PATCH');
    await role.selectOption('viewer');
    assert.equal((await changed).status(), 200);
    const { app } = panel.world;
    const rows = await app.database.read.selectFrom('members').select('role').execute();
    assert.deepEqual(rows.map((row) => row.role).sort(), ['owner', 'viewer']);
  });

  test('an owner invites, removes and hands over, and people download their data and delete themselves', async () => {
    await using panel = await openPanel();
    const { accountId } = panel.world;
    for (const width of [390, 1366]) {
      const name = (who: string) => `${who}.${width}@example.com`;
      await addPerson(panel.world, { email: name('ada'), accountId });
      await addPerson(panel.world, { email: name('grace'), accountId, role: 'viewer' });
      await addPerson(panel.world, { email: name('eve'), accountId, role: 'viewer' });
      const page = await panel.visitor({ width, height: 844, touch: width < 500 });
      await page.goto('/sign-in');
      await page.getByLabel('Email').fill(name('ada'));
      await page.getByRole('textbox', { name: 'Password' }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL((url) => url.pathname.startsWith('/accounts/'));
      await page.goto(panel.at('/account'));
      const dialog = page.getByRole('dialog');

      await page.getByRole('button', { name: 'Invite a member' }).click();
      await dialog.getByLabel('Note').fill(`Linus ${width}`);
      await dialog.getByRole('button', { name: 'Make the link' }).click();
      await dialog.getByText('/open#').waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();
      // A phone has no room for the column with the image’s author.
      const invited = width < 500 ? `Linus ${width} Developer` : `Linus ${width} Developer ${name('ada')}`;
      await page.getByRole('row', { name: new RegExp(invited) }).waitFor();
      await page.getByRole('button', { name: `Remove ${name('eve')}` }).click();
      await dialog.getByRole('button', { name: 'Remove member' }).click();
      await page.getByRole('row', { name: new RegExp(name('eve')) }).waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('button', { name: `Remove ${name('ada')}` }).count(), 0);
      await check(page, `the account of an owner at ${width}`);
      await page.getByRole('button', { name: `Hand over to ${name('grace')}` }).click();
      await dialog.getByRole('button', { name: 'Hand over' }).click();
      await dialog.getByText('is required').first().waitFor();
      await checkDialog(page, `hand over at ${width}`);
      await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
      await dialog.getByRole('button', { name: 'Hand over' }).click();
      await page.getByRole('region', { name: 'Members' }).waitFor({ state: 'detached' });

      await page.goto('/profile');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download my data' }).click(),
      ]);
      const { person, accounts } = JSON.parse(await readFile(await file.path(), 'utf8'));
      assert.deepEqual([person.email, accounts[0].role], [name('ada'), 'developer']);
      await page.getByRole('button', { name: 'Delete me' }).click();
      await dialog.getByRole('textbox', { name: 'Current password' }).fill('not this one');
      await dialog.getByRole('button', { name: 'Delete me' }).click();
      await dialog.getByText('is not right').first().waitFor();
      await checkDialog(page, 'delete me');
      await dialog.getByRole('textbox', { name: 'Current password' }).fill(password);
      await dialog.getByRole('button', { name: 'Delete me' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      const { read } = panel.world.app.database;
      const left = await read.selectFrom('people').select('email').where('email', '=', name('ada')).execute();
      assert.deepEqual(left, []);
    }
  });
});
