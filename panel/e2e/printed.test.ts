import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

/** The size of the paper within its margins, at 96 pixels per inch. */
const a4 = { upright: { width: 718, height: 1047 }, sideways: { width: 1047, height: 718 } };

suite('on paper', { skip }, () => {
  test('a statement is complete, names both parties, and has nothing of the panel around it', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    await world.finished(await world.create());
    const page = await panel.operator();
    await page.goto(panel.at('/balance'));
    await page.getByRole('link', { name: monthOf(world.clock.nowMs()) }).click();
    await page.getByRole('region', { name: 'Statement', exact: true }).waitFor();
    for (const paper of [a4.upright, a4.sideways]) {
      await print(page, paper);
      const amount = async () => {
        const box = await page.getByRole('columnheader', { name: 'Amount' }).boundingBox();
        return box !== null && box.x + box.width <= paper.width;
      };
      await settles(amount, true, 'with the amounts');
      const table = async () =>
        ((await page.getByRole('table').boundingBox())?.width ?? 0) > paper.width * 0.9;
      await settles(table, true, 'as wide as the paper');
      for (const name of ['Skip to content', 'You signed in with a one-time link.', 'Print'])
        await settles(() => page.getByText(name).first().isVisible(), false, name);
    }
    await page.getByText(`Darkroom at ${new URL(world.url).host}`).waitFor();
    await page.getByText(world.accountId).waitFor();
  });

  test('charts keep their bars', async () => {
    await using panel = await openPanel();
    await panel.world.finished(await panel.world.create());
    const page = await panel.operator();
    await page.goto(panel.at('/usage'));
    const bar = page.locator('figure [aria-hidden] i').first();
    await bar.waitFor({ state: 'attached' });
    await print(page, a4.upright);
    const adjust = () => bar.evaluate((shown) => getComputedStyle(shown).printColorAdjust);
    await settles(adjust, 'exact');
  });
});

async function print(page: Page, paper: { width: number; height: number }): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize(paper);
}

function monthOf(nowMs: number): string {
  return new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(nowMs);
}
