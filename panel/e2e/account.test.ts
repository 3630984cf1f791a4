import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addPerson, password } from '../../server/test/panel/browser.ts';
import { openPanel, skip } from './support.ts';

suite('the account', { skip }, () => {
  test('a prompt that is written backwards turns nothing that stands beside it in the ledger', async () => {
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

  test('an owner gives another member a role; what is kept is shown, and an operator changes it', async () => {
    await using panel = await openPanel();
    const { accountId } = panel.world;
    await addPerson(panel.world, { email: 'ada@example.com', accountId });
    await addPerson(panel.world, { email: 'grace@example.com', accountId });
    const operator = await panel.operator();
    await operator.goto(`/operator/accounts/${accountId}`);
    await operator.getByRole('button', { name: 'Change what is kept' }).click();
    const dialog = operator.getByRole('dialog');
    await dialog.getByLabel('Pictures').fill('0');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('A whole number from 1 to 36,500').waitFor();
    await dialog.getByLabel('Pictures').fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await operator.getByRole('row', { name: /Pictures 7 days for this account/ }).waitFor();

    const owner = await panel.visitor();
    await owner.goto('/sign-in');
    await owner.getByLabel('E-mail').fill('ada@example.com');
    await owner.getByRole('textbox', { name: 'Password' }).fill(password);
    await owner.getByRole('button', { name: 'Sign in', exact: true }).click();
    await owner.getByRole('link', { name: 'Account', exact: true }).click();
    await owner.getByRole('row', { name: /Pictures 7 days/ }).waitFor();
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
});
