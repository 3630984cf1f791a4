import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

suite('the first minutes', { skip }, () => {
  test('the printed link leads to a first image without asking for anything', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    assert.equal(new URL(page.url()).hash, '', 'the token has left the address bar');
    await page.getByRole('link', { name: 'Set an email address and a password' }).waitFor();

    await page.goto(panel.at('/make'));
    await page.getByRole('button', { name: 'Model: Higher quality' }).click();
    await page.getByRole('radio', { name: /Top tier/ }).click();
    await page.getByRole('button', { name: 'Model: Top tier' }).waitFor();
    await page.getByLabel('Prompt').fill('a lighthouse at dusk');
    await page.getByRole('button', { name: 'Aspect ratio: 1:1' }).click();
    await page.getByRole('radio', { name: '16:9' }).click();
    await page.getByText('99.92').waitFor();
    await page.getByRole('button', { name: 'Make image · 0.08 USD' }).click();

    const image = page.getByRole('img', { name: 'a lighthouse at dusk' });
    await image.waitFor();
    const shown = await image.evaluate(async (element: HTMLImageElement) => {
      await element.decode();
      const { currentSrc, naturalWidth, naturalHeight } = element;
      return { source: currentSrc, ratio: (naturalWidth / naturalHeight).toFixed(2) };
    });
    assert.match(shown.source, /&w=(768|1600)$/);
    assert.equal(shown.ratio, '1.79');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    assert.match((await download).suggestedFilename(), /lighthouse.*\.png$/);
    assert.equal((await panel.world.balance()).balance, '99.92');

    await page.getByRole('button', { name: 'Use as input' }).click();
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    assert.equal(panel.world.provider.requests.length, 1);
    await page.getByRole('button', { name: 'Make image · 0.08 USD' }).click();
    await page
      .getByRole('button', { name: /^Show:/ })
      .nth(1)
      .waitFor();
    // The page shows the image's place before the request reaches the provider.
    await settles(async () => panel.world.provider.requests[1]?.request.inputs.length, 1);
  });

  test('the link works once; from then on, email and password do, which are set at any time', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.getByRole('link', { name: 'Set an email address and a password' }).click();
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();

    const other = await panel.visitor();
    await other.goto(panel.world.app.panelLink ?? '');
    await other.getByRole('heading', { name: 'This link cannot be used' }).waitFor();

    await other.goto(panel.at('/keys'));
    await other.getByLabel('Email').fill('ada@example.com');
    await other.getByRole('textbox', { name: 'Password' }).fill('wrong horse battery');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await settles(
      () => other.getByRole('alert').innerText(),
      /Request/,
      'an error carries the id of its request',
    );
    await other.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'API keys' }).waitFor();
    assert.equal(new URL(other.url()).pathname, panel.at('/keys'), 'back where it wanted to go');

    await other.getByRole('button', { name: /Operator$/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.goBack();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await other.getByText('API keys').count(), 0);
  });

  test('signing in leads only into the panel, and a page says when the server is down', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/profile');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    for (const target of ['//example.com/', '/\\example.com']) {
      const other = await panel.visitor();
      await other.goto(`/sign-in?return_to=${encodeURIComponent(target)}`);
      await other.getByLabel('Email').fill('ada@example.com');
      await other.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
      await other.getByRole('button', { name: 'Sign in' }).click();
      await other.getByRole('navigation', { name: 'Pages' }).waitFor();
      assert.equal(new URL(other.url()).origin, panel.world.url, target);
      await other.context().close();
    }

    await panel.world.account('second');
    await page.goto(panel.at('/usage'));
    await page.getByRole('button', { name: /^Account tests/ }).click();
    await page.getByRole('option', { name: 'second' }).click();
    await page.getByRole('button', { name: /^Account second/ }).waitFor();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();

    await page.context().setOffline(true);
    const away = page.getByText('The server cannot be reached.');
    await away.waitFor();
    await page.context().setOffline(false);
    await away.waitFor({ state: 'detached' });

    // Reloaded, so that no read is left over from the outage: such a read would lead to the sign-in page by itself.
    await page.reload();
    await page.getByText('No jobs in this period').waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Pictures', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const wanted = new URL(page.url()).searchParams.get('return_to') ?? '';
    assert.match(wanted, /^\/accounts\/[^/]+\/jobs$/, 'several calls find it out, and the first one leads');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Pictures', exact: true }).waitFor();
  });
});
