import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { check } from './axe.ts';
import { openReceiver } from './receiver.ts';
import { openPanel, skip } from './support.ts';

suite('webhooks', { skip }, () => {
  test('an endpoint is set, called, looked at and called again', async () => {
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

    // Another one that wants failures only gets nothing of what is done.
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

  test('what failed is seen with its answer and sent again all at once', async () => {
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
    const retry = page.getByRole('button', { name: 'Retry pending now' });
    await retry.waitFor();
    receiver.status = 204;
    const sent = receiver.bodies.length;
    await retry.click();
    await receiver.count(sent + 1);
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

/** The link of the image is signed anew for each attempt. */
function eventOf(body = ''): unknown {
  const { type, timestamp, data } = JSON.parse(body);
  return [type, timestamp, data.job_id];
}
