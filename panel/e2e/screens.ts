import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { suite, test } from 'node:test';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { failure } from '../../server/src/providers/failure.ts';
import { openPanel, type Panel, skip } from './support.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const everything = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/** A scheme changes colours and nothing else, so what does not look at colours has been asked already. */
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Every screen, empty and full, light and dark, against axe. One file per width, so that they run side by side. */
export function checkScreens(width: number): void {
  suite(`accessibility, WCAG 2.2 AA, ${width} px`, { skip }, () => {
    test('no violation on empty screens, light and dark', async () => {
      await using panel = await openPanel();
      const { accountId } = await panel.world.account('new');
      const page = await panel.operator({ width, height: 800 });
      const screens = ['', '/playground', '/jobs', '/jobs?status=failed', '/balance', '/usage', '/webhooks'];
      const visitor = await panel.visitor({ width, height: 800 });
      await checkAll(
        page,
        screens.map((path) => panel.at(path, accountId)),
      );
      await checkAll(visitor, ['/sign-in', '/open#nothing']);
    });

    test('no violation on full screens and dialogs, light and dark', async () => {
      await using panel = await openPanel();
      const full = await fill(panel);
      const page = await panel.operator({ width, height: 800 });
      await checkAll(page, [
        ...['', `/playground?job=${full.done}`, '/playground?model=nb&mode=image', '/jobs'].map((path) =>
          panel.at(path),
        ),
        ...[`/jobs/${full.done}`, `/jobs/${full.failed}`, '/keys', '/keys?new=yes'].map((path) =>
          panel.at(path),
        ),
        ...['/balance', '/usage', '/usage?view=jobs&by=key', '/webhooks', `/jobs/${unknownId}`].map((path) =>
          panel.at(path),
        ),
        ...['/operator/accounts', `/operator/accounts/${panel.world.accountId}`, '/operator/models'],
        ...['/operator/system', '/operator/audit', '/profile', '/no/such/page'],
      ]);
      const deliveries = await page.request.get(`/panel${panel.at('/deliveries')}`);
      const [delivery] = (await deliveries.json()).data;
      await checkAll(page, [panel.at(`/webhooks/${delivery.delivery_id}`)]);
      await page.goto('/operator/models');
      await page.getByRole('button', { name: 'Pause everything' }).click();
      await page.getByRole('dialog').waitFor();
      await check(page, 'the pause dialog');
    });
  });
}

const unknownId = '01000000-0000-7000-8000-000000000000';

/** Something of everything: done, failed, a key, a webhook that does not answer. */
async function fill({ world }: Panel): Promise<{ done: string; failed: string }> {
  const done = await world.create('/nb2/text-generations', {
    prompt: 'a long prompt '.repeat(20),
    callback_url: 'http://127.0.0.1:9/',
  });
  await world.finished(done);
  world.provider.handler = async () => {
    throw failure('safety_blocked');
  };
  const failed = await world.create('/text-generations', { prompt: 'what is refused' });
  await world.finished(failed);
  return { done, failed };
}

async function checkAll(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    await check(page, path);
  }
}

async function check(page: Page, name: string): Promise<void> {
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction(
      (wanted) =>
        document.documentElement.dataset.mantineColorScheme === wanted &&
        document.getAnimations().length === 0,
      colorScheme,
    );
    const found = await page.evaluate(
      async (runOnly) => {
        const { axe: engine } = window as unknown as { axe: { run(options: object): Promise<AxeResults> } };
        const { violations } = await engine.run({
          runOnly,
          resultTypes: ['violations'],
        });
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
        );
      },
      colorScheme === 'light' ? everything : colours,
    );
    assert.deepEqual(found, [], `${name}, ${colorScheme}`);
  }
}
