import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator } from 'playwright-core';

import { TestProvider } from '../../server/test/world/provider.ts';
import { testRoutes } from '../../server/test/world/world.ts';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

const screens = [
  [1920, 1080],
  [1280, 720],
  [1366, 768],
  [1440, 900],
] as const;
const phones = [
  [360, 740],
  [768, 1024],
  [390, 844],
] as const;

suite('from a prompt to an image', { skip }, () => {
  test('the button that makes the image is in view with its price, however low the window', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    // The page's former URL.
    await page.goto(panel.at('/playground?model=nb&prompt=a%20fox'));
    await page.getByRole('heading', { name: 'Make', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Model: Fast' }).waitFor();
    await settles(() => page.getByLabel('Prompt').inputValue(), 'a fox');
    assert.equal(new URL(page.url()).pathname, panel.at('/make'));
    await page.goto(panel.at('/make'));
    const make = page.getByRole('button', { name: 'Make image · 0.04 USD' });
    for (const [width, height] of [...screens, ...phones]) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => window.scrollTo(0, 0));
      await waitUntilInView(make);
      // The menu of operators is the longest.
      if (width > 800) await waitUntilInView(page.locator('aside').getByRole('button').last());
    }
  });

  test('Home makes the image in place, shows the price first, and keeps the image over a reload', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at());
    await page.getByLabel('Prompt').fill('a lighthouse at dusk');
    await page.getByRole('button', { name: 'Make image · 0.04 USD' }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('img', { name: 'a lighthouse at dusk' }).waitFor();
    assert.equal(new URL(page.url()).pathname, panel.at());
    assert.equal(panel.world.provider.requests.length, 1);
    await check(page, 'Home with an image that was made there');
    await page.reload();
    await result.getByRole('img', { name: 'a lighthouse at dusk' }).waitFor();

    await page.getByLabel('Prompt').fill('a heron in the {{place}}');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Make', exact: true }).waitFor();
    await page.getByLabel('place').waitFor();
    assert.equal(panel.world.provider.requests.length, 1, 'what has places is filled in first');
  });

  test('of several images none is made twice, whichever answer is lost, and a refusal is shown with the others', async () => {
    await using panel = await openPanel();
    const { world } = panel;
    const page = await panel.operator();
    await page.goto(panel.at('/make?count=2'));
    await page.getByLabel('Prompt').fill('a fox');
    let sent = 0;
    await page.route(/text-generations$/, async (route) => {
      if (++sent !== 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const two = page.getByRole('button', { name: 'Make 2 images · 0.08 USD' });
    await two.click();
    await page.getByText('Server away, your prompt is kept').waitFor();
    await page.getByText('Server away, your prompt is kept').waitFor({ state: 'detached' });
    assert.equal(sent, 4);
    const jobs = async () => (await world.send('GET', '/jobs')).body.data as { job_id: string }[];
    const made = await jobs();
    assert.equal(made.length, 2);
    for (const { job_id } of made) await world.finished(job_id);

    world.provider.handler = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const limited = await page.request.patch('/api/v1/limits', {
      headers: { origin: world.url, 'darkroom-panel': '1', 'darkroom-account': world.accountId },
      data: { open: 1 },
    });
    assert.equal(limited.status(), 200);
    await two.click();
    await page
      .getByText(/may have 1 unfinished jobs/)
      .first()
      .waitFor();
    assert.equal((await jobs()).length, 3);
    await page.getByRole('link', { name: 'Open the job' }).waitFor();
  });

  test('a running job says when it will be done, and the account’s images replace the examples', async () => {
    const provider = new TestProvider();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    provider.handler = async (request) => {
      await released;
      return provider.answer(request);
    };
    await using panel = await openPanel({ replacements: { routes: testRoutes(provider, { slots: 1 }) } });
    using _released = { [Symbol.dispose]: release };
    const page = await panel.operator();
    await page.goto(panel.at('/make?count=2'));
    await page.getByRole('list', { name: 'Examples' }).waitFor();
    await page.getByLabel('Prompt').fill('a heron in the reeds');
    await page.getByRole('button', { name: /^Make 2 images/ }).click();
    const strip = page.getByRole('list', { name: 'Recent' });
    await strip.getByText(/^Processing/).waitFor();
    await strip.getByText(/Next when a slot is free · done in about/).waitFor();
    await check(page, 'Make while images are being made');
    await page.goto(panel.at('/make'));
    await strip.getByText(/^Processing/).waitFor();

    release();
    const own = page.getByRole('list', { name: 'Your images' });
    await own.getByRole('img', { name: 'a heron in the reeds' }).nth(1).waitFor();
    assert.equal(await page.getByRole('list', { name: 'Examples' }).count(), 0);
    await check(page, 'Make with own images');
    await own.getByRole('button', { name: 'a heron in the reeds' }).first().click();
    await page.getByRole('region', { name: 'Result' }).waitFor();
  });

  test('one prompt is made in several shapes by several models, and the price includes all of them', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at('/make?also=nb'));
    await page.getByLabel('Prompt').fill('a heron in the reeds');
    await page.getByRole('button', { name: 'Aspect ratio: 1:1' }).click();
    const also = page.getByRole('group', { name: 'Also in' });
    await also.getByText('16:9', { exact: true }).click();
    await also.getByText('3:4', { exact: true }).click();
    await check(page, 'shapes that are chosen');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Aspect ratio: 1:1, 16:9, 3:4' }).waitFor();
    await page.getByRole('button', { name: 'Make 6 images · 0.18 USD' }).click();
    for (const model of ['Fast', 'Higher quality'])
      for (const ratio of ['1:1', '16:9', '3:4'])
        await page.getByRole('img', { name: `a heron in the reeds, ${model}, 1K, ${ratio}` }).waitFor();
  });

  test('a prompt or page that does not reach the server is kept and sent again, unless it is given up', async () => {
    await using panel = await openPanel();
    const { requests } = panel.world.provider;
    const page = await panel.operator();
    const kept = page.getByText('Server away, your prompt is kept');
    await page.goto(panel.at('/make'));
    await page.getByLabel('Prompt').fill('a heron in the reeds');
    const make = page.getByRole('button', { name: /^Make image/ });
    await page.getByRole('button', { name: 'Make image · 0.04 USD', disabled: false }).waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Prompt').press('Control+Enter');
    await kept.waitFor();
    await check(page, 'a prompt that is kept');
    await page.context().setOffline(false);
    await page.getByRole('img', { name: 'a heron in the reeds' }).waitFor();
    assert.equal(requests.length, 1);

    await page.context().setOffline(true);
    await make.click();
    await page.getByRole('button', { name: 'Do not send it' }).click();
    await kept.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Server away' }).waitFor();
    const broken = await page.evaluate(() =>
      [...document.images].filter(({ naturalWidth }) => naturalWidth === 0),
    );
    assert.deepEqual(broken, []);
    await check(page, 'a page that cannot come');
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
    assert.equal(requests.length, 1);
  });

  test('the account’s images are requested before the models have loaded', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const asked = page.waitForRequest(/\/api\/v1\/jobs\?.*status=done/);
    await page.route(/\/api\/v1\/models$/, async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto(panel.at('/make'));
    await page.getByLabel('Prompt').waitFor();
  });

  test('below the form, the image scrolls into view when it is made, and choices do not move the page', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    for (const [width, height] of phones) {
      await page.setViewportSize({ width, height });
      await page.goto(panel.at('/make'));
      await page.getByLabel('Prompt').fill(`a fox of ${width}`);
      await page.evaluate(() => window.scrollBy(0, 100));
      await page.getByRole('button', { name: /^Aspect ratio/ }).click();
      const before = await page.evaluate(() => window.scrollY);
      await page.getByRole('radio', { name: '4:3' }).click();
      await page.waitForURL(/ratio=/);
      assert.equal(await page.evaluate(() => window.scrollY), before);
      await page.getByRole('button', { name: /^Make image/ }).click();
      await waitUntilInView(page.getByRole('img', { name: `a fox of ${width}`, exact: true }));
    }
    await check(page, 'the image that was made below its form');
    // Sizes are also checked here, because axe ignores a button whose neighbour is clipped by a bar.
    const tooSmall = await page.getByRole('button').evaluateAll((buttons) =>
      buttons.flatMap((button) => {
        const { width, height } = button.getBoundingClientRect();
        return Math.min(width, height) < 24 ? [button.outerHTML] : [];
      }),
    );
    assert.deepEqual(tooSmall, []);
  });
});

/** Finds the element again each time: at another width, or once an image has appeared, it may be a different one. */
async function waitUntilInView(what: Locator): Promise<void> {
  const isInView = () =>
    what.evaluate((shown) => {
      const { top, bottom } = shown.getBoundingClientRect();
      return top >= 0 && bottom <= window.innerHeight && bottom > top;
    });
  await settles(isInView, true);
}
