import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { plainPng } from '../../server/test/world/provider.ts';
import { check } from './axe.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

suite('input images of Make', { skip }, () => {
  test('are shown without contacting other servers, put in order, and marked if they will be refused', async () => {
    await using panel = await openPanel();
    await using images = await serveImages();
    const page = await panel.operator();
    const strangers: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(images.url)) strangers.push(request.url());
    });
    await page.goto(panel.at('/make?model=nb2&mode=image'));
    await page.getByLabel('Prompt').fill('side by side');
    for (const [index, size] of ['320x180', '64x64', '180x320'].entries()) {
      await add(page, `${images.url}/${size}.png`);
      await tiles(page).nth(index).locator('img').waitFor();
    }
    assert.deepEqual(strangers, [], 'the server alone asked');

    await page.getByRole('button', { name: 'Move image 2 later' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Image moved to place 3 of 3').waitFor({ state: 'attached' });
    // The focus follows the tile, because the button 'later' is now disabled.
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Move image 3 earlier',
    );
    await tiles(page).nth(2).dragTo(tiles(page).nth(0));
    await settles(() => sizes(page), ['64x64', '320x180', '180x320']);
    await check(page, 'input images');

    await add(page, `${images.url}/none.png`);
    await page.getByText('answered with status 404').waitFor();
    await page.getByText('Image 4 cannot be used. Remove it first.').first().waitFor({ state: 'attached' });
    await check(page, 'an input image that is refused');
    await page.getByRole('button', { name: 'Remove image 4' }).click();
    await page.getByRole('button', { name: /^Make image/ }).click();
    await page.getByRole('img', { name: 'side by side' }).waitFor();
    const taken = panel.world.provider.requests[0]?.request.inputs ?? [];
    assert.deepEqual(
      taken.map(({ width, height }) => `${width}x${height}`),
      ['64x64', '320x180', '180x320'],
    );
  });
});

const tiles = (page: Page) => page.getByRole('list', { name: 'Input images' }).getByRole('listitem');

async function add(page: Page, url: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Input images' }).fill(url);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
}

async function sizes(page: Page): Promise<(string | undefined)[]> {
  const names = await tiles(page).getByText('.png').allInnerTexts();
  return names.map((name) => /(\w+)\.png/.exec(name)?.[1]);
}

/** `/<width>x<height>.png` */
async function serveImages() {
  const server = createServer((request, response) => {
    const [, width, height] = /^\/(\d+)x(\d+)\.png$/.exec(request.url ?? '') ?? [];
    if (width && height) response.end(plainPng(Number(width), Number(height)));
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
