import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { s3Credentials, startFaulty, startS3 } from '../../server/test/images/s3-servers.ts';
import { check } from './axe.ts';
import { openReceiver } from './receiver.ts';
import { settles } from './settles.ts';
import { openPanel, skip } from './support.ts';

suite('webhooks', { skip }, () => {
  test('an endpoint is set, called, inspected and called again', async () => {
    await using panel = await openPanel();
    await using receiver = await openReceiver();
    const page = await panel.operator();
    await page.goto(panel.at('/webhooks'));
    await addEndpoint(page, receiver.url);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Delivered').first().waitFor();

    const jobId = await panel.world.create();
    await panel.world.finished(jobId);
    await receiver.count(2);
    assert.equal(JSON.parse(receiver.bodies[1] ?? '').data.job_id, jobId);
    await page.getByRole('button', { name: 'Show the numbers' }).click();
    await page.getByRole('region', { name: 'Attempts by hour' }).waitFor();
    await check(page, 'an endpoint');

    // An endpoint that wants only failures gets no event of a done job.
    await using failures = await openReceiver();
    await page.goto(panel.at('/webhooks'));
    await addEndpoint(page, failures.url, 'job.done');
    await panel.world.finished(await panel.world.create());
    await receiver.count(3);
    assert.equal(failures.bodies.length, 0);
    await page.goto(panel.at('/webhooks'));
    await page.getByRole('region', { name: 'Endpoints' }).getByText('job.done').waitFor();
    await check(page, 'the list of endpoints');

    await page.goto(panel.at(`/jobs/${jobId}`));
    await page.getByRole('link', { name: 'job.done' }).click();
    await page.getByRole('button', { name: 'Replay' }).click();
    await receiver.count(4);
    assert.deepEqual(eventOf(receiver.bodies[3]), eventOf(receiver.bodies[1]), 'the same event');
    assert.equal(receiver.ids[3], receiver.ids[1], 'under the same id');
    await page.getByText('Delivered').first().waitFor();
  });

  test('failed deliveries are shown with their answers, and sent again all at once', async () => {
    await using panel = await openPanel();
    await using receiver = await openReceiver();
    receiver.status = 410;
    const page = await panel.operator();
    await page.goto(panel.at('/webhooks'));
    await addEndpoint(page, receiver.url);
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
    await panel.world.finished(await panel.world.create());
    await receiver.count(1);
    await page.getByText('Deliveries have stopped', { exact: true }).waitFor();

    receiver.status = 204;
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByText('Deliveries have stopped', { exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Replay failed…' }).click();
    await page.getByRole('button', { name: 'Replay 1 event' }).click();
    await page.getByText('1 event sent again.').waitFor();
    await receiver.count(2);
    await page.getByRole('button', { name: 'Close' }).last().click();

    receiver.status = 500;
    const jobId = await panel.world.create();
    await panel.world.finished(jobId);
    await receiver.count(3);
    const retry = page.getByRole('button', { name: /^Retry now job.done/ });
    await retry.waitFor();
    const row = page.getByRole('row').filter({ has: retry });
    await row.getByText('Failing', { exact: true }).waitFor();
    await check(page, 'a delivery that is failing');
    await page.setViewportSize({ width: 390, height: 844 });
    const isWhole = async () => {
      const place = await retry.boundingBox();
      return place !== null && place.x + place.width <= 390;
    };
    await settles(isWhole, true, 'whole on a phone');
    receiver.status = 204;
    const sent = receiver.bodies.length;
    await retry.click();
    await receiver.count(sent + 1);
    await retry.waitFor({ state: 'detached' });
  });

  test('images are copied into one’s own bucket: a wrong secret is shown and changed, and the copy is sent again', async () => {
    await using store = await startS3(['images']);
    await using bucket = await startFaulty(store.endpoint);
    await using panel = await openPanel();
    const page = await panel.operator();
    await page.goto(panel.at('/webhooks'));
    await page.getByRole('button', { name: 'Add endpoint' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`s3://images/shop?region=us-east-1&endpoint=${bucket.endpoint}`);
    // A bucket receives no events.
    await dialog.getByLabel('job.done').waitFor({ state: 'detached' });
    const add = dialog.getByRole('button', { name: 'Add endpoint' });
    await add.click();
    await dialog.getByText('Both the id and the secret are needed').waitFor();
    await dialog.getByLabel('Access key id').fill(s3Credentials.accessKeyId);
    await dialog.getByLabel('Secret access key', { exact: true }).fill('not-the-secret');
    await check(page, 'the credentials of a bucket');
    await add.click();
    await page.getByRole('heading', { name: 'images' }).waitFor();

    const jobId = await panel.world.create();
    await panel.world.finished(jobId);
    await page.getByText('403').first().waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await check(page, 'a bucket that refuses');

    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByLabel('Access key id').fill(s3Credentials.accessKeyId);
    await dialog.getByLabel('Secret access key', { exact: true }).fill(s3Credentials.secretAccessKey);
    await dialog.getByRole('button', { name: 'Save endpoint' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Retry pending now' }).click();
    await page.getByText('The endpoint is failing').waitFor({ state: 'detached' });
    assert.ok(bucket.requests.some((seen) => seen.startsWith('PUT /images/shop/') && seen.includes(jobId)));
  });
});

async function addEndpoint(page: Page, url: string, without?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add endpoint' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(url);
  if (without) await dialog.getByLabel(without).uncheck();
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('heading', { name: new URL(url).host }).waitFor();
}

/** The parts of an event that attempts share: each attempt signs the image's link again. */
function eventOf(body = ''): unknown {
  const { type, timestamp, data } = JSON.parse(body);
  return [type, timestamp, data.job_id];
}
