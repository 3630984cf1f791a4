import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startSmtpServer } from '../../server/test/alerts/smtp-server.ts';
import { linkIn, ownPassword } from '../../server/test/panel/support/sign-up.ts';
import { freePort } from '../../server/test/world/free-port.ts';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

const password = 'correct horse battery';

/** A device that Chromium emulates, whose owner unlocks it at once. */
async function plugIn(page: Page): Promise<{ move(to: Page): Promise<void> }> {
  const open = async (on: Page) => {
    const session = await on.context().newCDPSession(on);
    await session.send('WebAuthn.enable');
    const options = {
      ...({ protocol: 'ctap2', transport: 'internal' } as const),
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      automaticPresenceSimulation: true,
    };
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options });
    return { session, authenticatorId };
  };
  const first = await open(page);
  return {
    async move(to) {
      const { authenticatorId } = first;
      const { credentials } = await first.session.send('WebAuthn.getCredentials', { authenticatorId });
      const other = await open(to);
      for (const credential of credentials)
        await other.session.send('WebAuthn.addCredential', {
          authenticatorId: other.authenticatorId,
          credential,
        });
    },
  };
}

suite('passkeys', { skip }, () => {
  test('one is added, signs in by one click and without a password, and is removed', async () => {
    const port = String(await freePort());
    const env = { PORT: port, DARKROOM_PUBLIC_URL: `http://localhost:${port}` };
    await using panel = await openPanel({ env });
    const page = await panel.operator();
    const device = await plugIn(page);
    await page.goto('/profile');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();

    const add = page.getByRole('button', { name: 'Add a passkey' });
    await add.click();
    const dialog = page.getByRole('dialog');
    await settles(() => dialog.getByLabel('Name').inputValue(), /Chrome/);
    await dialog.getByLabel('Name').fill('Work laptop');
    await dialog.getByRole('textbox', { name: 'Your password' }).fill('wrong');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('is not right.', { exact: true }).waitFor();
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('table', { name: 'Passkeys' }).getByRole('row', { name: /Work laptop/ });
    await row.getByText('never').waitFor();

    await add.click();
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('This device has a passkey of yours already.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    const other = await panel.visitor();
    await device.move(other);
    await other.goto('/sign-in');
    await other.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await other.getByRole('navigation', { name: 'Pages' }).waitFor();

    await row.getByRole('button', { name: 'Remove Work laptop' }).click();
    await dialog.getByRole('textbox', { name: 'Your password' }).fill(password);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    await other.goto('/profile');
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('a stranger signs up with only a passkey, cannot remove the last, signs in with it, and sets a password by email without it', async () => {
    await using smtp = await startSmtpServer();
    const port = String(await freePort());
    await using panel = await openPanel({
      env: {
        ...{ SMTP_URL: `${smtp.url}?ignoreTLS=true`, DARKROOM_MAIL_FROM: 'darkroom@example.com' },
        ...{ DARKROOM_SIGN_UP: 'open', PORT: port, DARKROOM_PUBLIC_URL: `http://localhost:${port}` },
      },
      config: {
        signUp: {
          ...{ mode: 'open', freeCreditMicros: 0n, freeCreditsPerDay: 100, limits: {} },
          documents: [{ document: 'terms', url: 'https://example.com/terms', version: '1' }],
        },
      },
    });
    for (const [index, width] of [1280, 390].entries()) {
      const email = `ada-${index}@example.com`;
      const page = await panel.visitor({ width, height: 844, touch: width === 390 });
      const device = await plugIn(page);
      await page.goto('/sign-up');
      await page.getByLabel('Email').fill(email);
      await page.getByRole('button', { name: 'Send me the link' }).click();
      await page.goto(linkIn((await smtp.mailsTo(email, 1))[0]));
      await page.getByRole('button', { name: 'Use a passkey instead' }).click();
      await page.getByRole('heading', { name: 'Create a passkey' }).waitFor();
      await page.getByRole('checkbox', { name: /I accept the terms/ }).click();
      await check(page, `the passkey of a sign-up at ${width}`);
      await page.getByRole('button', { name: 'Create my account' }).click();
      await page.waitForURL(/\/accounts\//);
      await page.goto('/profile');
      await page.getByRole('button', { name: /^Remove Chrome/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
      await dialog.getByText('This passkey is your only way to sign in.').waitFor();
      assert.equal(await page.getByText('one-time link').count(), 0);

      const other = await panel.visitor({ width, height: 844 });
      await device.move(other);
      await other.goto('/sign-in');
      await other.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await other.waitForURL(/\/accounts\//);

      const lost = await panel.visitor({ width, height: 844 });
      await lost.goto('/forgotten-password');
      await lost.getByLabel('Email').fill(email);
      const before = (await smtp.mailsTo(email, 0)).length;
      await lost.getByRole('button', { name: 'Send me a link' }).click();
      await lost.goto(linkIn((await smtp.mailsTo(email, before + 1)).at(-1)));
      await lost.getByRole('textbox', { name: 'Password' }).fill(ownPassword);
      await lost.getByRole('button', { name: 'Set the password' }).click();
      await lost.waitForURL(/\/accounts\//);
      await other.goto('/profile');
      await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    }
  });
});
