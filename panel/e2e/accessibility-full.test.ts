import { suite, test } from 'node:test';
import { check, checkAll } from './axe.ts';
import { fill, pagesOf, share } from './full-world.ts';
import { openPanel, skip } from './support.ts';

suite('accessibility, WCAG 2.2 AA, of full screens and dialogs', { skip }, () => {
  test('no violation, light and dark, wide and narrow', async () => {
    await using panel = await openPanel({
      env: { DARKROOM_SHARING: 'true' },
      config: { publicVerify: true, statusPage: true },
    });
    const full = await fill(panel);
    const page = await panel.operator();
    await checkAll(page, [...pagesOf(panel, full), '/no/such/page']);
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
    await page.getByText('The image cannot be shown').waitFor();
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
