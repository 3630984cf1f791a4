import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const everything = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] };
/** A scheme changes colours and nothing else, so what does not look at colours has been asked already. */
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Each page against axe, when it has loaded. */
export async function checkAll(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    await check(page, path);
  }
}

/** What the page shows now. */
export async function check(
  page: Page,
  name: string,
  schemes: readonly ('light' | 'dark')[] = ['light', 'dark'],
): Promise<void> {
  await page.evaluate(axe);
  for (const colorScheme of schemes) {
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
