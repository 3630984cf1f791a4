import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { failure } from '../../server/src/upstream/providers/failure.ts';
import { bearer, postText } from '../../server/test/http/support/requests.ts';
import { photo } from '../../server/test/uploads/images.ts';
import { check } from './axe.ts';
import { holdUndo } from './hold-undo.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { settles } from './settles.ts';
import { openPanel, type Panel, skip } from './support.ts';
import { within } from './within.ts';

suite('the main tasks of people, in few clicks', { skip }, () => {
  test('a first image, one from a photo, three models compared, the reason of a failure, an image found, shared and deleted', async () => {
    await using panel = await openPanel({ env: { DARKROOM_SHARING: 'true' } });
    const page = await panel.operator();
    await page.addInitScript(holdUndo);
    await page.goto(panel.at());
    await first(page);
    await fromPhoto(page);
    await compare(panel, page);
    await whyFailed(panel, page);
    await find(page);
    await takeAlongAndShare(page);
    await remove(panel, page);
  });

  test('a key with a limit, and an event sent again', async () => {
    await using panel = await openPanel();
    await using receiver = await openReceiver();
    const page = await panel.operator();
    await panel.world.finished(await panel.world.create(undefined, { callback_url: receiver.url }));
    await receiver.count(1);
    await page.goto(panel.at());
    await keyWithLimit(panel, page);
    await page.goto(panel.at());
    await replay(page, receiver);
  });
});

async function keyWithLimit({ world }: Panel, page: Page): Promise<void> {
  await within(page, 5, async (click) => {
    await click(page.getByRole('link', { name: 'API keys' }));
    await click(page.getByRole('button', { name: 'Create key' }).first());
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('shop');
    await click(dialog.getByText('Limits', { exact: true }));
    await dialog.getByLabel('Spend per day').fill('0.05');
    await check(page, 'the limits of a new key');
    await click(dialog.getByRole('button', { name: 'Create key' }));
    await page.getByRole('button', { name: 'I have saved it' }).waitFor();
  });
  const secret = (await page.getByRole('region', { name: 'API key', exact: true }).innerText()).trim();
  const headers = bearer(secret);
  await world.finished(await world.create(undefined, {}, headers), secret);
  assert.equal((await postText(world, {}, headers)).status, 402);
  await page.getByRole('button', { name: 'I have saved it' }).click();

  await page.getByRole('link', { name: 'shop' }).click();
  const limits = page.getByRole('list', { name: 'Limits' });
  await limits.getByText('0.04 of 0.05 USD').waitFor();
  await check(page, 'a key with a limit');
  await page.getByRole('button', { name: 'Change limits' }).click();
  await page.getByLabel('Spend per day').fill('one');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await page.getByText('An amount such as 25').waitFor();
  await page.getByLabel('Spend per day').fill('0.1');
  await page.getByLabel('Open jobs').fill('20');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await limits.getByText('0.04 of 0.10 USD').waitFor();
  await limits.getByText('0 of 20').waitFor();
  assert.equal((await postText(world, {}, headers)).status, 202);
}

async function replay(page: Page, receiver: Receiver): Promise<void> {
  await within(page, 2, async (click) => {
    await click(page.getByRole('link', { name: 'Webhooks' }));
    await click(page.getByRole('button', { name: /^Replay job.done/ }));
    await receiver.count(2);
  });
  assert.equal(receiver.ids[1], receiver.ids[0], 'under the same id');
  await page
    .getByRole('button', { name: /^Replay job.done/ })
    .nth(1)
    .waitFor();
}

async function first(page: Page): Promise<void> {
  await within(page, 1, async (click) => {
    await page.getByLabel('Prompt').fill('a harbour');
    // Until the button knows the price of an image, it leads to Make.
    await click(page.getByRole('button', { name: 'Make image · 0.04 USD' }));
    await page.getByRole('region', { name: 'Result' }).getByRole('img', { name: 'a harbour' }).waitFor();
  });
}

async function fromPhoto(page: Page): Promise<void> {
  await within(page, 3, async (click) => {
    await click(page.getByRole('link', { name: 'Make', exact: true }));
    await page.getByRole('heading', { name: 'Make', exact: true }).waitFor();
    await page.getByLabel('Prompt').fill('as a {{style}}');
    await page.evaluate(
      (bytes) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], 'photo.jpg', { type: 'image/jpeg' }));
        const paste = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData: data });
        document.querySelector('textarea')?.dispatchEvent(paste);
      },
      [...photo],
    );
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    await page.getByLabel('style').fill('woodcut');
    await click(page.getByRole('button', { name: /^Make image/ }));
    await page.getByRole('img', { name: 'as a woodcut' }).waitFor();
  });
}

async function compare(panel: Panel, page: Page): Promise<void> {
  await page.goto(panel.at());
  await within(page, 3, async (click) => {
    await page.getByLabel('Prompt').fill('a heron in the reeds');
    await click(page.getByRole('link', { name: 'compare 3 models' }));
    await page.getByRole('heading', { name: 'Make', exact: true }).waitFor();
    await click(page.getByRole('button', { name: 'Make 3 images · 0.14 USD' }));
    for (const model of ['Fast', 'Higher quality', 'Top tier'])
      await page.getByRole('img', { name: `a heron in the reeds, ${model}, 1K` }).waitFor();
    await click(page.getByRole('button', { name: 'Side by side' }));
    await page.getByRole('img', { name: /^Left/ }).waitFor();
  });
  const slider = page.getByRole('slider');
  await slider.press('ArrowLeft');
  await settles(() => slider.inputValue(), '49');
  await check(page, 'two images side by side');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Use settings of Top tier, 1K' }).click();
  await page.getByRole('button', { name: 'Make image · 0.08 USD' }).waitFor();
  // At this scroll position, the bar at the top covers all but one line of a button.
  await page.evaluate(() => scrollTo(0, 0));
  await check(page, 'images that were made together');
}

async function whyFailed({ world }: Panel, page: Page): Promise<void> {
  world.provider.handler = async () => {
    throw failure('safety_blocked');
  };
  await world.finished(await world.create('/nb2/text-generations', { prompt: 'refused' }));
  await within(page, 1, async (click) => {
    await click(page.getByRole('link', { name: 'Pictures', exact: true }));
    await page.getByRole('link', { name: /for safety reasons/ }).waitFor();
  });
}

async function find(page: Page): Promise<void> {
  await within(page, 2, async (click) => {
    await page.getByRole('searchbox', { name: 'Find' }).fill('woodcut');
    await page.waitForURL(/q=woodcut/);
    await click(page.getByRole('button', { name: '7 days' }));
    await page.waitForURL(/from=/);
    await page.getByRole('link', { name: /for safety reasons/ }).waitFor({ state: 'detached' });
    await click(page.getByRole('link', { name: 'as a woodcut' }).first());
    await page.getByRole('dialog', { name: 'as a woodcut' }).waitFor();
  });
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function takeAlongAndShare(page: Page): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selected images' });
  const links = page.getByRole('list', { name: 'Public links' });
  await within(page, 4, async (click) => {
    await page.locator('[data-index]').first().hover();
    await click(page.getByRole('button', { name: 'Select as a woodcut' }));
    await click(bar.getByRole('button', { name: 'Share' }));
    await click(page.getByRole('button', { name: 'Make a public link' }));
    const link = (await links.getByRole('link', { name: '1 image' }).getAttribute('href')) ?? '';
    const shared = await fetch(link);
    assert.equal(shared.status, 200);
    assert.doesNotMatch(await shared.text(), /woodcut/, 'without the prompt');
    await showShared(page, link, 200);
    await check(page, 'public links');
    await click(links.getByRole('button', { name: 'Revoke' }));
    await page.getByText('No public links.').waitFor();
    await showShared(page, link, 410);
  });
  await page.keyboard.press('Escape');
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('link', { name: 'Download' }).click(),
  ]);
  assert.equal(archive.suggestedFilename(), 'images.zip');
  const bytes = await readFile(await archive.path());
  assert.equal(bytes.subarray(0, 2).toString(), 'PK');
  await bar.getByRole('button', { name: 'Clear' }).click();
}

async function showShared(page: Page, link: string, status: 200 | 410): Promise<void> {
  const visitor = await page.context().newPage();
  await visitor.setViewportSize({ width: 1280, height: 720 });
  const asked: string[] = [];
  visitor.on('request', (request) => asked.push(new URL(request.url()).pathname));
  assert.equal((await visitor.goto(link))?.status(), status);
  if (status === 410) {
    await visitor.getByRole('heading', { name: 'Nothing is shared here' }).waitFor();
    await visitor.getByText('This link has expired. Ask its sender for a new one.').waitFor();
  } else {
    const image = visitor.getByRole('img');
    await image.evaluate((image: HTMLImageElement) => image.decode());
    const box = await image.boundingBox();
    assert.ok(box && box.y + box.height <= 720, 'in the window, whole');
  }
  assert.ok(!asked.includes('/favicon.ico'));
  await visitor.close();
}

async function remove({ world }: Panel, page: Page): Promise<void> {
  const tiles = page.locator('[data-index]');
  const image = page.getByRole('link', { name: /^as a woodcut/ });
  const bar = page.getByRole('region', { name: 'Selected images' });
  await within(page, 3, async (click) => {
    await tiles.first().hover();
    await click(page.getByRole('button', { name: 'Select as a woodcut' }));
    await click(bar.getByRole('button', { name: 'Delete' }));
    await click(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await image.waitFor({ state: 'detached' });
  });
  await page.getByRole('button', { name: 'Undo' }).click();
  await image.waitFor();
  await tiles.first().hover();
  await page.getByRole('button', { name: 'Select as a woodcut' }).click();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Image deleted', { exact: true }).waitFor();
  await check(page, 'a deletion that can be undone');
  const gone = page.waitForResponse(/\/delete-images$/);
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  assert.equal((await gone).status(), 200, 'at once when the page is left');
  await page.goBack();
  await page.getByRole('searchbox', { name: 'Find' }).waitFor();
  await image.waitFor({ state: 'detached' });
  assert.equal((await world.balance()).reserved, '0.00');
}
