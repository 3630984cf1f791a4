import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { countVitals, readVitals } from './vitals.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The dark scheme changes only colours, so dark pages are checked only against these rules. */
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
/** A large screen differs from a laptop only in distances, so pages are checked on it only against these rules. */
const places = { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] };

/** The widths in CSS pixels of a laptop, a phone and a large screen. */
const widths = [1280, 390, 1920];
/** The width in CSS pixels of the smallest phone. No page may be wider. */
const narrowest = 360;

/** People do not notice a layout shift below this value. As CLS (Cumulative Layout Shift), up to 0.1 counts as good. */
const maxShift = 0.05;

/** Checks each page with axe once it has loaded, and checks that nothing moved until then. */
export async function checkAll(page: Page, paths: string[]): Promise<void> {
  await page.addInitScript(countVitals);
  for (const path of paths) {
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    const { shift, moved } = await readVitals(page);
    assert.ok(shift < maxShift, `${path} moves by ${shift}: ${moved.join(' | ')}`);
    await check(page, path);
    await assertFits(page, path);
  }
}

/** Checks the current page at each width, in light and dark. The page is loaded once, and must follow each change. */
export function check(page: Page, name: string): Promise<void> {
  return checkPart(page, name, widths, 'html');
}

/** Checks the open dialog on a phone. On other screens, a dialog is at least as wide. */
export async function checkDialog(page: Page, name: string): Promise<void> {
  await checkPart(page, name, [390], '[role=dialog]');
  await assertFits(page, name);
}

async function checkPart(page: Page, name: string, at: number[], part: string): Promise<void> {
  const before = page.viewportSize();
  // Adds the script only once, because it is half a megabyte in size and stays in the page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  // The current width is checked first, while the page still has its scroll position.
  const isShown = (width: number) => Number(width === before?.width);
  for (const width of at.toSorted((one, other) => isShown(other) - isShown(one))) {
    const isLarge = width === 1920;
    await page.setViewportSize({ width, height: 800 });
    // At the old scroll position, a sticky bar could cover half of a button.
    if (!isShown(width)) await page.evaluate(() => scrollTo(0, 0));
    for (const colorScheme of ['light', 'dark'] as const) {
      if (isLarge && colorScheme === 'dark') continue;
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction(
        (wanted) =>
          // Pages without scripts follow the scheme through their styles, and lack this attribute.
          (document.documentElement.dataset.mantineColorScheme ?? wanted) === wanted &&
          // Finished animations out of sight stay in the list.
          document.getAnimations().every(({ playState }) => playState === 'finished'),
        colorScheme,
      );
      const rules = isLarge ? places : colorScheme === 'light' ? { type: 'tag', values: tags } : colours;
      const found = await violations(page, part, rules);
      assert.deepEqual(found, [], `${name}, ${width} px, ${colorScheme}`);
    }
  }
  if (before) await page.setViewportSize(before); // narrow windows hide columns
}

export async function assertFits(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: narrowest, height: 800 });
  const fits = (most: number) => document.documentElement.scrollWidth <= most;
  await page.waitForFunction(fits, narrowest).catch((cause: unknown) => {
    throw new Error(`${name} is wider than a screen of ${narrowest} px`, { cause });
  });
  if (before) await page.setViewportSize(before);
}

function violations(page: Page, part: string, runOnly: object): Promise<string[]> {
  return page.evaluate(
    async ([selector, asked]) => {
      const { axe: engine } = window as unknown as {
        axe: { run(part: string, options: object): Promise<AxeResults> };
      };
      // No rule needs style sheets or media, so they are not fetched again.
      const options = { runOnly: asked, resultTypes: ['violations'], preload: false };
      const { violations: found } = await engine.run(selector, options);
      return found.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
      );
    },
    [part, runOnly] as const,
  );
}
