import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** Asserts that `act` takes at most this many clicks. Strokes and drags call `click()` without an element. */
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
