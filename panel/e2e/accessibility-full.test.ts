import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { failure } from '../../server/src/upstream/providers/failure.ts';
import { check, checkAll } from './axe.ts';
import { openPanel, type Panel, skip } from './support.ts';

suite('accessibility, WCAG 2.2 AA, of full screens and dialogs', { skip }, () => {
  test('no violation, light and dark, wide and narrow', async () => {
    await using panel = await openPanel({
      env: { DARKROOM_SHARING: 'true' },
      config: { publicVerify: true, statusPage: true },
    });
    const full = await fill(panel);
    const page = await panel.operator();
    await checkAll(page, [
      ...['', `/make?job=${full.done}`, '/make?model=nb&mode=image', '/jobs'].map((path) => panel.at(path)),
      ...[`/jobs/${full.done}`, `/jobs/${full.failed}`, '/keys', '/keys?new=yes'].map((path) =>
        panel.at(path),
      ),
      ...['/balance', '/usage', '/usage?view=jobs&by=key', '/webhooks', `/jobs/${unknownId}`, '/albums'].map(
        (path) => panel.at(path),
      ),
      ...[
        '/operator/accounts',
        `/operator/accounts/${panel.world.accountId}`,
        `/operator/accounts/${panel.world.accountId}/data`,
        '/operator/models',
        ...[
          '/operator/margins',
          '/operator/bill-check',
          '/operator/rates',
          '/operator/owed',
          '/operator/prices',
          '/operator/payments',
          '/operator/vouchers',
          '/operator/brand',
          `/operator/statements/${monthOf(panel)}`,
        ],
      ],
      '/operator/models/nb?view=settings',
      ...['/operator/connections', '/operator/connect', '/operator/workflow'],
      ...['/operator/system', '/operator/audit', '/profile', '/no/such/page'],
    ]);
    const shared = await share(page, panel, [full.done, full.deleted]);
    for (const job of [full.done, full.deleted])
      await page.request.post(`${shared}/report/${job}`, { form: { reason: `It shows ${job}.` } });
    await panel.world.send('DELETE', `/jobs/${full.deleted}/image`);
    await checkAll(page, [
      '/operator/reports',
      shared,
      `${shared}/report/${full.done}`,
      '/verify',
      '/status',
    ]);
    await page.goto('/operator/reports');
    await page.getByText('The picture cannot be shown').waitFor();
    const deliveries = await page.request.get('/api/v1/deliveries', {
      headers: { 'darkroom-panel': '1', 'darkroom-account': panel.world.accountId },
    });
    const [delivery] = (await deliveries.json()).data;
    await checkAll(page, [panel.at(`/webhooks/${delivery.delivery_id}`)]);
    await page.goto('/operator/models');
    await page.getByRole('button', { name: 'Pause everything' }).click();
    await page.getByRole('dialog').waitFor();
    await check(page, 'the pause dialog');
  });
});

function monthOf({ world }: Panel): string {
  return new Date(world.clock.nowMs()).toISOString().slice(0, 7);
}

const unknownId = '01000000-0000-7000-8000-000000000000';
/** A public link to the images of these jobs. */
async function share(page: Page, panel: Panel, jobIds: string[]): Promise<string> {
  const headers = {
    'darkroom-panel': '1',
    'darkroom-account': panel.world.accountId,
    origin: panel.world.url,
  };
  const data = { job_ids: jobIds, with_prompts: true, days: 1 };
  const reply = await page.request.post('/api/v1/shares', { headers, data });
  return new URL((await reply.json()).url).pathname;
}

/** Something of everything: done, deleted later, failed, a key, a webhook that does not answer. */
async function fill({ world }: Panel): Promise<{ done: string; deleted: string; failed: string }> {
  const done = await world.create('/nb2/text-generations', {
    prompt: 'a long prompt '.repeat(20),
    callback_url: 'http://127.0.0.1:9/',
  });
  await world.finished(done);
  const deleted = await world.create('/nb2/text-generations', { prompt: 'what goes' });
  await world.finished(deleted);
  world.provider.handler = async () => {
    throw failure('safety_blocked');
  };
  const failed = await world.create('/text-generations', { prompt: 'what is refused' });
  await world.finished(failed);
  return { done, deleted, failed };
}
