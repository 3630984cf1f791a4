import { suite, test } from 'node:test';
import { failure } from '../../server/src/upstream/providers/failure.ts';
import { check, checkAll } from './axe.ts';
import { openPanel, type Panel, skip } from './support.ts';

suite('accessibility, WCAG 2.2 AA, of full screens and dialogs', { skip }, () => {
  test('no violation, light and dark, wide and narrow', async () => {
    await using panel = await openPanel();
    const full = await fill(panel);
    const page = await panel.operator();
    await checkAll(page, [
      ...['', `/playground?job=${full.done}`, '/playground?model=nb&mode=image', '/jobs'].map((path) =>
        panel.at(path),
      ),
      ...[`/jobs/${full.done}`, `/jobs/${full.failed}`, '/keys', '/keys?new=yes'].map((path) =>
        panel.at(path),
      ),
      ...['/balance', '/usage', '/usage?view=jobs&by=key', '/webhooks', `/jobs/${unknownId}`].map((path) =>
        panel.at(path),
      ),
      ...[
        '/operator/accounts',
        `/operator/accounts/${panel.world.accountId}`,
        `/operator/accounts/${panel.world.accountId}/data`,
        '/operator/models',
        ...['/operator/margins', '/operator/bill-check', '/operator/reports'],
      ],
      '/operator/models/nb?view=settings',
      ...['/operator/connections', '/operator/connect', '/operator/workflow'],
      ...['/operator/system', '/operator/audit', '/profile', '/no/such/page'],
    ]);
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

const unknownId = '01000000-0000-7000-8000-000000000000';
/** Something of everything: done, failed, a key, a webhook that does not answer. */
async function fill({ world }: Panel): Promise<{ done: string; failed: string }> {
  const done = await world.create('/nb2/text-generations', {
    prompt: 'a long prompt '.repeat(20),
    callback_url: 'http://127.0.0.1:9/',
  });
  await world.finished(done);
  world.provider.handler = async () => {
    throw failure('safety_blocked');
  };
  const failed = await world.create('/text-generations', { prompt: 'what is refused' });
  await world.finished(failed);
  return { done, failed };
}
