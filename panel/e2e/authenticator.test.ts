import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import sharp from 'sharp';
import { createCodes } from '../../server/test/panel/support/authenticator.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

const email = 'ada@example.com';
const password = 'correct horse battery';

suite('an authenticator', { skip }, () => {
  test('is set up, required at sign-in, and removed', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/profile');
    const setUp = page.getByRole('button', { name: 'Set up an authenticator' });
    await settles(() => setUp.getAttribute('aria-disabled'), 'true', 'a password comes first');
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();

    await setUp.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const image = await dialog.getByRole('img', { name: 'QR code for the app' }).screenshot();
    const secret = (await dialog.getByRole('region', { name: 'key for the app' }).innerText()).trim();
    assert.equal(new URL(await scan(image)).searchParams.get('secret'), secret);
    const backups = await dialog.getByRole('region', { name: 'backup codes' }).innerText();
    const [backup = ''] = backups.trim().split(/\s+/);
    const code = dialog.getByLabel('Code from the app');
    await code.fill('000000');
    await dialog.getByRole('button', { name: 'Turn it on' }).click();
    await dialog.getByRole('alert').waitFor();
    const app = createCodes(secret);
    await code.fill(app());
    await dialog.getByRole('button', { name: 'Turn it on' }).click();
    await page.getByText('Signing in asks for a code from your authenticator app.').waitFor();

    for (const second of [app, () => backup]) {
      const other = await panel.visitor();
      await signIn(other);
      await other.getByLabel('Code').fill(second());
      await other.getByRole('button', { name: 'Continue' }).click();
      await other.getByRole('navigation', { name: 'Pages' }).waitFor();
    }

    await page.getByRole('button', { name: 'Remove the authenticator' }).click();
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await setUp.waitFor();
    await dialog.waitFor({ state: 'detached' });
    const other = await panel.visitor();
    await signIn(other);
    await other.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});

async function scan(screenshot: Buffer): Promise<string> {
  const { data, info } = await sharp(screenshot).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return decodeQR({ width: info.width, height: info.height, data });
}

async function signIn(page: Page): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
