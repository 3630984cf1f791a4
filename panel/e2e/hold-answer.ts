import type { Page } from 'playwright-core';

/** The server answers, but the answer reaches the page only once `arrive` is called. */
export async function holdAnswer(page: Page, url: RegExp): Promise<{ arrive: () => Promise<void> }> {
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    const response = await route.fetch();
    await held.promise;
    await route.fulfill({ response });
    arrived.resolve();
  });
  return {
    arrive() {
      held.resolve();
      return arrived.promise;
    },
  };
}

/** Goes to the API keys, lets the answer arrive while a key is being created there, and creates the key. */
export async function createKeyDuring(page: Page, answer: { arrive: () => Promise<void> }): Promise<void> {
  await page.getByRole('link', { name: 'API keys' }).first().click();
  await page.getByRole('button', { name: 'Create key' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('shop');
  await answer.arrive();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('region', { name: 'API key', exact: true }).waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('link', { name: 'shop' }).waitFor();
}
