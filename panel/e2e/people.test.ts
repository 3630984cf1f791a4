import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addPerson, password } from '../../server/test/panel/browser.ts';
import { openOperator } from '../../server/test/world/commands.ts';
import { checkDialog } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

suite('people and what their roles let them see', { skip }, () => {
  test('a double click deletes a person once, and the only owner stays', async () => {
    await using panel = await openPanel();
    const { accountId } = panel.world;
    await addPerson(panel.world, { email: 'ada@example.com', accountId });
    await addPerson(panel.world, { email: 'grace@example.com', accountId, role: 'viewer' });
    const page = await panel.operator();
    const answers = watch(page, (status) => status >= 200);
    await page.goto(`/operator/accounts/${accountId}`);
    // The server answers only after both clicks, because the answer removes the button.
    const clicked = Promise.withResolvers<void>();
    await page.route(/\/admin\/v1\/people\//, async (route) => {
      await clicked.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Delete grace@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete person' }).dblclick();
    clicked.resolve();
    await page.getByRole('row', { name: /grace@example\.com/ }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Delete ada@example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete person' }).click();
    await page.getByText('This person is the only owner of tests.').waitFor();
    const deleted = answers.filter((answer) => answer.includes('/admin/v1/people/'));
    assert.deepEqual(
      deleted.map((answer) => answer.slice(0, 3)),
      ['204', '422'],
    );
  });

  test('an owner gives their password to make another an owner, or to invite one', async () => {
    await using panel = await openPanel();
    const { accountId } = panel.world;
    await addPerson(panel.world, { email: 'ada@example.com', accountId });
    await addPerson(panel.world, { email: 'grace@example.com', accountId, role: 'viewer' });
    const page = await panel.visitor();
    await signIn(page, 'ada@example.com');
    await page.goto(panel.at('/account'));
    const role = page.getByLabel('Role of grace@example.com');
    await role.selectOption('Owner');
    const dialog = page.getByRole('dialog', { name: 'Make grace@example.com an owner?' });
    await checkDialog(page, 'make an owner');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await settles(() => role.inputValue(), 'viewer', 'who changes their mind changes nothing');
    await role.selectOption('Owner');
    await dialog.getByLabel('Your password').fill('not this one');
    await dialog.getByRole('button', { name: 'Make an owner' }).click();
    await dialog.getByText('is not right.').first().waitFor();
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Make an owner' }).click();
    await dialog.waitFor({ state: 'detached' });
    await settles(() => role.inputValue(), 'owner');

    await page.getByRole('button', { name: 'Invite a member' }).click();
    const inviting = page.getByRole('dialog', { name: 'Invite a member' });
    assert.equal(await inviting.getByLabel('Your password').count(), 0);
    await inviting.getByLabel('Role').selectOption('Owner');
    await inviting.getByLabel('Your password').fill(password);
    await inviting.getByRole('button', { name: 'Make the link' }).click();
    await inviting.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /^without a note Owner ada/ }).waitFor();
    const renew = page.getByRole('button', { name: 'New link, without a note' });
    assert.equal(await renew.getAttribute('aria-disabled'), 'true');
    await page.getByText('An owner is invited with your password.').waitFor({ state: 'attached' });

    await page.getByRole('button', { name: 'Invite a member' }).click();
    await inviting.getByLabel('Note').fill('for Eve');
    await inviting.getByLabel('Role').selectOption('Viewer');
    await inviting.getByRole('button', { name: 'Make the link' }).click();
    await inviting.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'New link, for Eve' }).click();
    await page
      .getByRole('dialog', { name: 'A new link' })
      .getByText(/\/open#/)
      .waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.setViewportSize({ width: 390, height: 844 });
    const fits = renew.evaluate((button) => {
      const box = button.closest('table')?.parentElement;
      return box ? box.scrollWidth <= box.clientWidth : undefined;
    });
    assert.equal(await fits, true, 'a phone shows what can be done');
  });

  test('support opens the pages of its menu, and none of their calls is refused', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await addPerson(world, { email: 'grace@example.com', accountId: null, role: 'support' });
    await world.send('PUT', '/webhooks/default', { body: { url: 'http://127.0.0.1:9/hooks/s3cret' } });
    const page = await panel.visitor();
    await signIn(page, 'grace@example.com');
    const refused = watch(page, (status) => status >= 400);

    await page.goto(panel.at('/keys'));
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    await page.waitForLoadState('networkidle');
    for (const path of ['/balance', '/usage', '/account', '/webhooks']) {
      await page.goto(panel.at(path));
      await page.waitForLoadState('networkidle');
    }
    await page.getByText('/…', { exact: true }).waitFor();
    assert.deepEqual(refused, []);
  });

  test('a person who may only look is not offered to make a batch', async () => {
    await using panel = await openPanel();
    const { accountId } = panel.world;
    await addPerson(panel.world, { email: 'grace@example.com', accountId, role: 'viewer' });
    const page = await panel.visitor();
    await signIn(page, 'grace@example.com');
    await page.goto(panel.at('/batches'));
    await page.getByText('No batches yet').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New batch' }).count(), 0);
    await page.goto(panel.at('/batches/new'));
    await page.getByLabel('Prompts').fill('a fox');
    await page.getByText('Your role may not make images here.').first().waitFor();
    assert.equal(await page.getByRole('alert').count(), 0, 'nor is asked what it costs');
  });

  test('credit is a first step only for a person who may add it', async () => {
    await using panel = await openPanel();
    const { accountId } = await panel.world.account('empty');
    for (const [role, count] of [
      ['viewer', 0],
      ['owner', 1],
    ] as const) {
      await addPerson(panel.world, { email: `${role}@example.com`, accountId, role });
      const page = await panel.visitor();
      await signIn(page, `${role}@example.com`);
      await page.goto(panel.at('', accountId));
      await page.getByRole('link', { name: 'Make a first image' }).waitFor();
      await settles(() => page.getByRole('link', { name: 'Add credit' }).count(), count, role);
    }
  });

  test('an erased account says why its buttons are disabled, also in the list', async () => {
    await using panel = await openPanel();
    const { accountId } = await panel.world.account('guests');
    const { dataDir, databaseUrl } = panel.world.config;
    const settings = { DARKROOM_DATA_DIR: dataDir, ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
    await using commandLine = await openOperator(settings);
    await commandLine.eraseAccount(accountId, { name: 'guests' });
    const page = await panel.operator();
    await page.goto('/operator/accounts');
    await page
      .getByRole('row', { name: /^erased .* Erased / })
      .getByRole('link')
      .click();
    await page.getByText('This account was erased', { exact: true }).waitFor();
    for (const name of ['Invite a member', 'Change limits', 'Change what is kept']) {
      const button = page.getByRole('button', { name });
      await settles(() => button.getAttribute('aria-disabled'), 'true', name);
      await settles(
        () => button.locator('xpath=following-sibling::span').innerText(),
        /was erased, for good/,
      );
    }
  });

  test('a statement of an invalid month has the address’s text as its title, and is refused in one sentence', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at('/balance/2026-13'));
    await page.getByRole('heading', { name: 'Statement of 2026-13' }).waitFor();
    const refusal = page.getByText('a month that has begun');
    await refusal.first().waitFor();
    await settles(() => refusal.count(), 1);
  });
});

function watch(page: Page, isWanted: (status: number) => boolean): string[] {
  const seen: string[] = [];
  page.on('response', (response) => {
    if (isWanted(response.status())) seen.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  return seen;
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL((address) => address.pathname !== '/sign-in');
}
