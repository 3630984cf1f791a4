import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../../server/test/http/support/requests.ts';
import { photo } from '../../server/test/uploads/images.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

suite('images from this device', { skip }, () => {
  test('are dropped, pasted or chosen, and become inputs; a file that is not an image is reported before it is sent', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (/\/uploads$/.test(request.url())) sent.push(request.method());
    });
    await page.goto(panel.at('/make?model=pro'));
    await page.getByLabel('Prompt').fill('as a drawing');
    await bring(page, 'drop', 'dropped.jpg', 'image/jpeg');
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    await page.getByRole('button', { name: 'Aspect ratio: auto' }).waitFor();
    await bring(page, 'paste', 'pasted.jpg', 'image/jpeg');
    await page.getByRole('button', { name: 'Remove image 2' }).waitFor();
    const files = page.locator('input[type=file]');
    await settles(() => files.getAttribute('accept'), 'image/jpeg,image/png,image/webp,image/gif');
    await files.setInputFiles([{ name: 'chosen.jpg', mimeType: 'image/jpeg', buffer: photo }]);
    await page.getByRole('button', { name: 'Remove image 3' }).waitFor();
    assert.deepEqual(sent, ['POST', 'POST', 'POST']);

    await bring(page, 'drop', 'notes.txt', 'text/plain');
    await page.getByText('It is not a JPEG, PNG, WebP or GIF.').waitFor();
    await page.getByRole('button', { name: 'Dismiss notes.txt' }).click();
    assert.equal(sent.length, 3);
    await files.setInputFiles([
      { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no image, but long enough') },
    ]);
    await page.getByText('The file is not a JPEG, PNG, WebP or GIF image.').waitFor();

    await page.getByRole('button', { name: /^Make image/ }).click();
    await page.getByRole('img', { name: 'as a drawing' }).waitFor();
    const asked = panel.world.provider.requests[0]?.request;
    assert.deepEqual([asked?.inputs.length, asked?.aspectRatio], [3, '4:3']);

    await page.getByRole('button', { name: /^Model:/ }).click();
    await page.getByRole('radio', { name: /\bnb$/ }).click();
    await page.getByRole('button', { name: 'Aspect ratio: auto' }).waitFor();
    await page.getByRole('button', { name: /^Make image · 0.02/ }).click();
    const { provider } = panel.world;
    const other = await eventually(
      async () => provider.requests[1],
      (request) => request !== undefined,
    );
    assert.equal(other?.request.aspectRatio, '4:3', 'of a model that has no auto');
  });

  for (const [locale, remove] of [
    ['de-DE', /^Bild \d entfernen$/],
    ['zh-CN', /^移除图片 \d$/],
  ] as const)
    test(`are dropped and pasted in ${locale}`, async () => {
      await using panel = await openPanel();
      const page = await panel.operator({ locale });
      await page.goto(panel.at('/make?model=pro'));
      await page.locator('textarea').first().fill('as a drawing');
      for (const [index, event] of (['drop', 'paste'] as const).entries()) {
        const isLeftToBrowser = await bring(page, event, `${event}.jpg`, 'image/jpeg');
        assert.equal(isLeftToBrowser, false, `${event}: the browser would open the file`);
        await page.getByRole('button', { name: remove }).nth(index).waitFor();
      }
    });

  test('are chosen on a page that was loaded over plain http', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    // As in browsers at an http:// address other than localhost.
    await page.addInitScript(() =>
      Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined }),
    );
    await page.goto(panel.at('/make?model=pro&mode=image'));
    await page
      .locator('input[type=file]')
      .setInputFiles([{ name: 'chosen.jpg', mimeType: 'image/jpeg', buffer: photo }]);
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
  });
});

/** Returns whether the page leaves the file to the browser, which would open it instead of the page. */
function bring(page: Page, event: 'drop' | 'paste', name: string, type: string): Promise<boolean> {
  return page.evaluate(
    ({ bytes, event, name, type }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], name, { type }));
      const init = { bubbles: true, cancelable: true };
      const target = document.querySelector('textarea') ?? document.body;
      return target.dispatchEvent(
        event === 'drop'
          ? new DragEvent('drop', { ...init, dataTransfer: data })
          : new ClipboardEvent('paste', { ...init, clipboardData: data }),
      );
    },
    { bytes: [...photo], event, name, type },
  );
}
