import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../server/test/http/support/requests.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 32"><script>parent.document.title = 'broken into'</script>
<circle cx="16" cy="16" r="14" fill="#0b7285"/><circle cx="16" cy="16" r="6" fill="#fff"/><rect x="44" y="9" width="70" height="14" rx="7" fill="#0b7285"/></svg>`;

describe('the brand', { skip }, () => {
  test('an operator sees it on pages and in emails before it is saved, and everybody sees it afterwards', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto('/operator/brand');
    await page.getByLabel('Colour', { exact: true }).fill('red;}');
    await page.getByText('must be a colour such as #0b7285.').waitFor();
    await page.getByLabel('Colour', { exact: true }).fill('#0b7285');
    await page.getByLabel('Name').fill('Acme Images');
    await page.getByLabel('Support').fill('help@acme.example');
    const file = page.locator('input[type=file]');
    await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.alloc(10_000_000) });
    await page.getByText('is larger than 256 KiB.').waitFor();
    await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(logo) });
    const email = page.frameLocator('iframe[title^="Low balance"]');
    await email.getByRole('heading', { name: 'Low balance: Acme' }).waitFor();
    await email.locator('img[src^="data:image/png"]').waitFor();
    await email.getByRole('link', { name: 'Balance, limits and alerts' }).waitFor();
    // Read from outside the frame: each choice creates a new frame, whose styles apply once it has loaded.
    const frame = page.locator('iframe[title^="Low balance"]');
    const colourOf = (selector: string) =>
      frame.evaluate((around: HTMLIFrameElement, inside) => {
        const found = [...(around.contentDocument?.querySelectorAll(inside) ?? [])];
        const [element] = found.filter(({ textContent }) =>
          textContent?.includes('Balance, limits and alerts'),
        );
        return element && getComputedStyle(element).backgroundColor;
      }, selector);
    await settles(() => colourOf('a'), 'rgb(11, 114, 133)');
    await page.getByText('Dark', { exact: true }).click();
    await settles(() => colourOf('body'), 'rgb(20, 17, 16)');
    const height = () => frame.evaluate((around) => around.clientHeight);
    const onDesk = await eventually(height, (pixels) => pixels !== 480);
    await page.getByText('Phone', { exact: true }).click();
    await eventually(height, (pixels) => pixels > onDesk);
    await page.getByText('Desk', { exact: true }).click();
    await eventually(height, (pixels) => pixels === onDesk);
    await page.getByText('Text', { exact: true }).click();
    await page.getByText('Help: help@acme.example').waitFor();
    assert.equal(await page.title(), 'Brand · Darkroom', 'nothing is saved, and no script of the logo ran');

    await page.getByRole('button', { name: 'Save brand' }).click();
    await page.waitForFunction(() => document.title === 'Brand · Acme Images');
    await page.getByRole('link', { name: 'Acme Images' }).first().waitFor();
    const visitor = await panel.visitor();
    await visitor.goto('/sign-in');
    await visitor.waitForFunction(() => document.title === 'Sign in · Acme Images');
    await visitor.getByRole('link', { name: 'Help' }).waitFor();
    await settles(
      () => visitor.locator('main img').evaluate((logo: HTMLImageElement) => logo.naturalWidth > 0),
      true,
      'the logo is shown to whoever is not signed in',
    );

    await page.getByRole('button', { name: 'Remove brand' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove brand' }).click();
    await page.waitForFunction(() => document.title === 'Brand · Darkroom');
  });
});
