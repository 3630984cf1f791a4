import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';

/** A phone, two laptops and a desk. */
const sizes = [
  [390, 844],
  [1280, 720],
  [1366, 768],
  [1920, 1080],
] as const;
/** Nothing is fetched for another size or scheme but larger pictures. */
const settledMs = 350;

/** Runs in the page: the pictures in view are loaded. */
export const areThere =
  '[...document.images].every((image) => image.complete || image.getBoundingClientRect().top > innerHeight)';

/** What lies over a page, by how it is opened there. */
interface Over {
  path: string;
  open(page: Page): Promise<void>;
}

/** Every page and dialog at each size, light and dark, as it is seen first; each is loaded once. */
export async function shootEverything(
  context: BrowserContext,
  screens: Record<string, string>,
  { account, folder }: { account: string; folder: string },
): Promise<void> {
  const page = await context.newPage();
  const shots: Record<string, Over> = { ...pagesOf(screens), ...dialogsOf(`/accounts/${account}`, account) };
  for (const [name, { path, open }] of Object.entries(shots)) {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    await open(page);
    while (!(await page.evaluate(areThere))) await page.waitForTimeout(settledMs);
    for (const [width, height] of sizes)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(settledMs);
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
  }
  await page.close();
}

function pagesOf(screens: Record<string, string>): Record<string, Over> {
  const shown = Object.entries(screens).map(([name, path]) => [name, { path, open: async () => {} }]);
  return Object.fromEntries(shown);
}

function dialogsOf(home: string, account: string): Record<string, Over> {
  const press =
    (...names: (string | RegExp)[]) =>
    async (page: Page) => {
      for (const name of names) await page.getByRole('button', { name }).first().click();
      await page.getByRole('dialog').first().waitFor();
    };
  const keys =
    (...pressed: string[]) =>
    async (page: Page) => {
      await page.locator('[data-index="0"]').focus();
      for (const key of pressed) await page.keyboard.press(key);
      await page.getByRole('dialog').first().waitFor();
    };
  const gallery = `${home}/jobs?status=done`;
  return {
    palette: { path: home, open: async (page) => keysOnly(page, 'Control+k') },
    lightbox: { path: gallery, open: keys('Enter') },
    survey: { path: gallery, open: keys(' ', 'Shift+ArrowRight', 'Shift+ArrowRight', 'c') },
    'keys-help': { path: gallery, open: keys('?') },
    'delete-picture': { path: gallery, open: keys(' ', 'Delete') },
    selected: { path: gallery, open: async (page) => selectAll(page) },
    filters: { path: gallery, open: async (page) => page.getByRole('button', { name: /^Filters/ }).click() },
    presets: {
      path: gallery,
      async open(page) {
        await selectAll(page);
        await page.getByRole('button', { name: 'Presets' }).click();
        await page.getByRole('menuitem', { name: 'New preset' }).click();
      },
    },
    'public-links': { path: gallery, open: press('Public links') },
    'new-album': { path: `${home}/albums`, open: press('New album') },
    'add-endpoint': { path: `${home}/webhooks`, open: press('Add endpoint') },
    credit: { path: `/operator/accounts/${account}`, open: press('Credit') },
    'disable-account': { path: `/operator/accounts/${account}`, open: press('Disable') },
    'invite-member': { path: `/operator/accounts/${account}`, open: press('Invite a member') },
    'invite-operator': { path: '/operator/accounts', open: press('Invite an operator') },
    'pause-everything': { path: '/operator/models', open: press('Pause everything') },
    'change-kept': { path: `/operator/accounts/${account}`, open: press('Change what is kept') },
  };
}

async function selectAll(page: Page): Promise<void> {
  await page.locator('[data-index="0"]').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('region', { name: 'Selected pictures' }).waitFor();
}

async function keysOnly(page: Page, key: string): Promise<void> {
  await page.keyboard.press(key);
  await page.getByRole('combobox').first().waitFor();
}
