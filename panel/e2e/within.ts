import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** Does something in so many clicks at most. What is painted or dragged counts as one: `click()` without an element. */
export async function within(
  page: Page,
  most: number,
  act: (click: (on?: Locator) => Promise<void>) => Promise<void>,
): Promise<void> {
  let clicks = 0;
  await act(async (on) => {
    clicks += 1;
    await on?.click();
  });
  assert.ok(clicks <= most, `${clicks} clicks on ${page.url()}`);
}
