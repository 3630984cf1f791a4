import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
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
    const bring = (event: 'drop' | 'paste', name: string, type: string) =>
      page.evaluate(
        ({ bytes, event, name, type }) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], name, { type }));
          const init = { bubbles: true, cancelable: true };
          const target = document.querySelector('textarea') ?? document.body;
          target.dispatchEvent(
            event === 'drop'
              ? new DragEvent('drop', { ...init, dataTransfer: data })
              : new ClipboardEvent('paste', { ...init, clipboardData: data }),
          );
        },
        { bytes: [...photo], event, name, type },
      );
    await bring('drop', 'dropped.jpg', 'image/jpeg');
    await page.getByRole('button', { name: 'Remove image 1' }).waitFor();
    await page.getByRole('button', { name: 'Aspect ratio: auto' }).waitFor();
    await bring('paste', 'pasted.jpg', 'image/jpeg');
    await page.getByRole('button', { name: 'Remove image 2' }).waitFor();
    const files = page.locator('input[type=file]');
    await settles(() => files.getAttribute('accept'), 'image/jpeg,image/png,image/webp,image/gif');
    await files.setInputFiles([{ name: 'chosen.jpg', mimeType: 'image/jpeg', buffer: photo }]);
    await page.getByRole('button', { name: 'Remove image 3' }).waitFor();
    assert.deepEqual(sent, ['POST', 'POST', 'POST']);

    await bring('drop', 'notes.txt', 'text/plain');
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
});
