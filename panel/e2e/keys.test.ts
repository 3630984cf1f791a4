import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { failure } from '../../server/src/upstream/providers/failure.ts';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

/** How long a disabled key may still be accepted. */
const knownForMs = 1_000;

suite('API keys', { skip }, () => {
  test('a key for two models works over HTTP, is refused for the third, and stops working once disabled', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at('/keys'));
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('shop');
    await dialog.getByLabel('Top tier (pro)').uncheck();
    await dialog.getByText('Limits', { exact: true }).click();
    await dialog.getByLabel('Spend per day').fill('0.05');
    await dialog.getByRole('button', { name: 'Create key' }).click();

    const secret = (await page.getByRole('region', { name: 'API key', exact: true }).innerText()).trim();
    await page.getByRole('button', { name: 'Try it now' }).click();
    await page.getByText(/^200 \{"balance":"100.00"/).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(secret), 'shown once');

    const headers = { authorization: `Bearer ${secret}` };
    const body = { prompt: 'a fox', aspect_ratio: '1:1' };
    const made = await panel.world.send('POST', '/nb2/text-generations', { headers, body });
    assert.equal(made.status, 202);
    assert.equal((await panel.world.send('POST', '/text-generations', { headers, body })).status, 403);
    await panel.world.finished(String(made.body.job_id));

    await page.getByRole('link', { name: 'shop' }).click();
    await page.getByRole('heading', { name: /shop/ }).waitFor();
    await page.getByRole('region', { name: 'Latest jobs of this key' }).getByText('a fox').waitFor();
    await page.getByText('127.0.0.1', { exact: true }).waitFor();
    await check(page, 'a key');
    await page.goto(panel.at('/keys'));
    const row = page.getByRole('row', { name: /shop/ });
    await row.getByRole('list', { name: 'Limits' }).getByText('0.04 of 0.05').waitFor();
    await row.getByText('127.0.0.1').waitFor();
    await row.getByRole('button', { name: 'Disable shop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable key' }).click();
    await row.getByText('Disabled').waitFor();
    await panel.world.elapse(knownForMs);
    assert.equal((await panel.world.send('GET', '/balance', { headers })).status, 401);
  });

  test("today's spend by key is two clicks away, and a bar leads to its jobs", async () => {
    await using panel = await openPanel();
    await panel.world.finished(await panel.world.create());
    const page = await panel.operator();
    await page.goto(panel.at());
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('radiogroup', { name: 'Period' }).getByText('Today').click();
    const spent = page.getByRole('region', { name: 'Cost and jobs by key' });
    await spent.getByRole('row', { name: /key/ }).getByText('0.04').waitFor();
    await check(page, 'usage of today');

    await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Status').click();
    await page.getByRole('region', { name: 'Cost and jobs by status' }).waitFor();
    await page.getByRole('radiogroup', { name: 'Period' }).getByText('7 days').click();
    await page.getByRole('region', { name: 'Cost and jobs by day' }).waitFor();
    await page.locator('figure a[href]').last().click();
    await page.getByRole('heading', { name: 'Pictures' }).waitFor();
    const { searchParams } = new URL(page.url());
    const day = 86_400_000;
    const today = Math.floor(panel.world.clock.nowMs() / day) * day;
    const times = [today, today + day].map((ms) => new Date(ms).toISOString());
    assert.deepEqual([searchParams.get('from'), searchParams.get('to')], times, 'the whole day of UTC');
  });

  test('west of UTC too, a key’s errors lead to the failed jobs that they count', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    world.provider.handler = () => Promise.reject(failure('safety_blocked'));
    await world.finished(await world.create());
    const page = await panel.operator();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Pacific/Honolulu' });
    await page.goto(panel.at('/keys'));
    await page.getByRole('table', { name: 'API keys' }).getByRole('link').first().click();
    await page.getByRole('radiogroup', { name: 'Period' }).getByText('Today').click();
    await page.waitForURL(/period=today/);
    await page.getByRole('table', { name: 'Failed jobs by error' }).waitFor();
    await page.getByRole('link', { name: 'See the failed jobs' }).click();
    await page.getByRole('heading', { name: 'Pictures' }).waitFor();
    const { searchParams } = new URL(page.url());
    const day = 86_400_000;
    const today = Math.floor(world.clock.nowMs() / day) * day;
    const times = [today, today + day].map((ms) => new Date(ms).toISOString());
    assert.deepEqual([searchParams.get('from'), searchParams.get('to')], times);
  });

  test('a rolled key has a new secret, and the old one ends at the chosen time', async () => {
    await using panel = await openPanel();
    const { key } = await panel.world.account('other');
    assert.ok(key);
    const page = await panel.operator();
    await page.goto(panel.at('/keys'));
    await page.getByRole('button', { name: /^Roll / }).click();
    await page
      .getByLabel('The old secret works for')
      .selectOption({ label: 'No overlap: it stops working now' });
    await page.getByRole('dialog').getByRole('button', { name: 'Roll key' }).click();
    const secret = (await page.getByRole('region', { name: 'API key', exact: true }).innerText()).trim();
    await panel.world.elapse(knownForMs);
    const status = async (bearer: string) =>
      (await panel.world.send('GET', '/balance', { headers: { authorization: `Bearer ${bearer}` } })).status;
    assert.deepEqual([await status(secret), await status(panel.world.key)], [200, 401]);
  });

  test('a missing value is reported at its field, in words that fit the field', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at('/keys?new=yes'));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const name = dialog.getByLabel('Name');
    const described = () =>
      name.evaluate((field) => {
        const [first = ''] = field.getAttribute('aria-describedby')?.split(' ') ?? [];
        return document.getElementById(first)?.innerText;
      });
    await settles(described, /Name it after/);
    await settles(() => name.getAttribute('aria-invalid'), 'true');
  });
});
