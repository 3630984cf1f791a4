import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createCodes } from '../../server/test/panel/support/authenticator.ts';
import { openPanel, skip } from './support.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';

suite('where an authenticator is required', { skip }, () => {
  test('an operator who signs in by password sets one up and continues; sessions are listed and ended one by one', async () => {
    await using panel = await openPanel({ env: { DARKROOM_SECOND_FACTOR: 'operators' } });
    const page = await panel.operator();
    await page.goto('/profile');
    await page.getByLabel('Email').fill(email);
    const field = page.getByRole('textbox', { name: 'Password', exact: true });
    await field.fill('Darkroom2026!');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/among the first that an attacker tries/)
      .first()
      .waitFor();
    await field.fill(password);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();

    const other = await panel.visitor();
    await other.goto(panel.at('/keys'));
    await other.getByLabel('Email').fill(email);
    await other.getByRole('textbox', { name: 'Password' }).fill(password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'One more step' }).waitFor();
    assert.equal(await other.getByRole('navigation').count(), 0);
    await other.getByRole('button', { name: 'Set up an authenticator' }).click();
    const dialog = other.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const secret = (await dialog.getByRole('region', { name: 'key for the app' }).innerText()).trim();
    const app = createCodes(secret);
    await dialog.getByLabel('Code from the app').fill(app());
    await dialog.getByRole('button', { name: 'Turn it on' }).click();
    await other.getByRole('heading', { name: 'API keys' }).waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code').fill(app());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Profile and security' }).waitFor();
    const sessions = page.getByRole('table', { name: 'Sessions' });
    await sessions.getByText('this one').waitFor();
    await sessions.getByRole('button', { name: /^End the session of/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await sessions.getByRole('button', { name: /^End the session of/ }).waitFor({ state: 'detached' });
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
