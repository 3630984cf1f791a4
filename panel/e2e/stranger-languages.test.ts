import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import de from '../../server/src/notify/emails/de.json' with { type: 'json' };
import { openAdministration } from '../../server/test/admin/admin-client.ts';
import { lengthen } from '../src/languages/lengthen.ts';
import { check } from './axe.ts';
import { fill, share } from './full-world.ts';
import { lookedAt } from './read-words.ts';
import { openPanel, type Panel, skip } from './support.ts';

suite('pages for strangers in the language of their browser', { skip }, () => {
  test('each page in each language has nothing cut off, no violation, and the language’s number format', async () => {
    await using panel = await openPanel(everything);
    const paths = await fillForStrangers(panel);
    for (const [locale, lang, price] of [
      ['en-US', 'en', '0.02'],
      ['de-AT', 'de', '0,02'],
      ['zh-CN', 'zh-Hans', '0.02'],
    ] as const) {
      const page = await panel.visitor({ locale });
      for (const path of paths) {
        await page.goto(path);
        assert.equal(await page.getAttribute('html', 'lang'), lang, path);
        await check(page, `${path} in ${lang}`);
        await assertShown(page, `${path} in ${lang}`);
      }
      await page.goto('/');
      assert.equal(await page.locator('td').first().textContent(), price);
    }
  });

  test('words that are half as long again are cut off on no page, and all of them were translated', async () => {
    const german: Record<string, string> = { ...de };
    try {
      // Lengthens the words of public pages as the panel lengthens its own.
      for (const message of Object.keys(de)) Object.assign(de, { [message]: lengthen(message) });
      await using panel = await openPanel(everything);
      const page = await panel.visitor({ locale: 'de-DE' });
      const wrong: string[] = [];
      const look = async (name: string) => {
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          for (const text of await lookedAt(page)) wrong.push(`${name}, ${width} px: ${text}`);
        }
      };
      const paths = await fillForStrangers(panel);
      for (const path of paths) {
        await page.goto(path);
        await look(path);
      }
      const report = paths.find((path) => path.includes('/report/')) ?? assert.fail();
      await page.goto(report);
      for (const reason of [' ', 'tests']) {
        await page.locator('#reason').fill(reason);
        await page.getByRole('button').click();
        await page.locator(reason === ' ' ? '[role=alert]' : '.ended').waitFor();
        await look(`${report} of “${reason}”`);
      }
      const original = await page.request.get(report.replace(/report.(.*)/, '$1.png'));
      await page.goto('/verify');
      for (const [buffer, role] of [
        [await original.body(), 'status'],
        [Buffer.from('no image'), 'alert'],
      ] as const) {
        await page.locator('#file').setInputFiles({ name: 'tests.png', mimeType: 'image/png', buffer });
        await page.locator('button').first().click();
        await page.locator(`[role=${role}]`).waitFor();
        await look(`/verify of ${buffer.byteLength} bytes`);
      }
      assert.deepEqual(wrong, []);
    } finally {
      Object.assign(de, german);
    }
  });
});

const everything = {
  env: { DARKROOM_SHARING: 'true' },
  config: { publicVerify: true, statusPage: true, landing: { examples: null } },
};

async function fillForStrangers(panel: Panel): Promise<string[]> {
  const full = await fill(panel);
  const admin = await openAdministration(panel.world);
  await admin().pause('nb', { reason: 'tests', for: 60 });
  await admin().resume('nb');
  await admin().pause('nb2', { reason: 'tests', for: 3_600 });
  const operator = await panel.operator();
  const shared = await share(operator, panel, [full.done, full.deleted]);
  return [
    '/',
    '/status',
    '/verify',
    shared,
    `${shared}/report/${full.done}`,
    '/shared/none',
    '/unsubscribe/none',
  ];
}

async function assertShown(page: Page, name: string): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${name} is ${wide} px wide at ${width}`);
  }
}
