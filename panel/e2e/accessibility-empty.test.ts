import { suite, test } from 'node:test';
import { checkAll } from './axe.ts';
import { openPanel, skip } from './support.ts';

suite('accessibility, WCAG 2.2 AA, of empty screens', { skip }, () => {
  test('no violation, light and dark, wide and narrow', async () => {
    await using panel = await openPanel();
    const { accountId } = await panel.world.account('new');
    const page = await panel.operator();
    const screens = [
      '',
      '/make',
      '/jobs',
      '/jobs?status=failed',
      '/albums',
      '/balance',
      '/usage',
      '/webhooks',
    ];
    await checkAll(
      page,
      screens.map((path) => panel.at(path, accountId)),
    );
    await checkAll(await panel.visitor(), ['/sign-in', '/open#nothing']);
  });
});
