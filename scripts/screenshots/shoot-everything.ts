import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { dialogsOf, type Over } from './panel-dialogs.ts';

const sizes = [
  [390, 844],
  [1280, 720],
  [1366, 768],
  [1920, 1080],
] as const;
/** The wait after a change of size or scheme. It is short, because the page is loaded and only larger images follow. */
const settledMs = 350;

/** Runs in the page. True if the images in view are loaded. */
export const areThere =
  '[...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)';

/** Shoots every page and dialog at each size, light and dark, before any scrolling. Each page is loaded once. */
export async function shootEverything(
  context: BrowserContext,
  screens: Record<string, string>,
  { account, folder }: { account: string; folder: string },
): Promise<void> {
  const page = await context.newPage();
  const shots: Record<string, Over> = { ...pagesOf(screens), ...dialogsOf(`/accounts/${account}`, account) };
  const missing: string[] = [];
  for (const [name, { path, open, narrow = false }] of Object.entries(shots)) {
    await page.setViewportSize({ width: narrow ? 390 : 1280, height: 720 });
    await page.goto(path);
    try {
      await page.locator('h1').first().waitFor();
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
      await open(page);
    } catch (error) {
      // A dialog that fails to open must not prevent screenshots of the others.
      missing.push(`${name}: ${String(error).split('\n')[0]}`);
      continue;
    }
    while (!(await page.evaluate(areThere))) await page.waitForTimeout(settledMs);
    for (const [width, height] of sizes.filter(([width]) => !narrow || width < 800))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(settledMs);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
  }
  await page.close();
  if (missing.length > 0) throw new Error(`not opened:\n${missing.join('\n')}`);
}

function pagesOf(screens: Record<string, string>): Record<string, Over> {
  const shown = Object.entries(screens).map(([name, path]) => [name, { path, open: async () => {} }]);
  return Object.fromEntries(shown);
}
