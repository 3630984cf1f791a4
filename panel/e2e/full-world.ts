import type { Page } from 'playwright-core';
import { failure } from '../../server/src/upstream/providers/failure.ts';
import type { Panel } from './support.ts';

export interface Full {
  done: string;
  deleted: string;
  failed: string;
}

export function pagesOf(panel: Panel, full: Full): string[] {
  const { accountId } = panel.world;
  return [
    ...['', `/make?job=${full.done}`, '/make?model=nb&mode=image', '/jobs', `/jobs/${full.done}`],
    ...[`/jobs/${full.failed}`, `/jobs/${unknownId}`, '/keys', '/keys?new=yes', '/balance', '/usage'],
    ...['/usage?view=jobs&by=key', '/webhooks', '/albums'],
  ]
    .map((path) => panel.at(path))
    .concat(
      [
        ...['accounts', `accounts/${accountId}`, `accounts/${accountId}/data`, 'models', 'margins'],
        ...['bill-check', 'rates', 'owed', 'prices', 'payments', 'vouchers', 'brand'],
        ...[`statements/${monthOf(panel)}`, 'models/nb?view=settings', 'connections', 'connect', 'workflow'],
        ...['system', 'audit'],
      ].map((path) => `/operator/${path}`),
    )
    .concat('/profile');
}

function monthOf({ world }: Panel): string {
  return new Date(world.clock.nowMs()).toISOString().slice(0, 7);
}

const unknownId = '01000000-0000-7000-8000-000000000000';
export async function share(page: Page, panel: Panel, jobIds: string[]): Promise<string> {
  const headers = {
    'darkroom-panel': '1',
    'darkroom-account': panel.world.accountId,
    origin: panel.world.url,
  };
  const data = { job_ids: jobIds, with_prompts: true, days: 1 };
  const reply = await page.request.post('/api/v1/shares', { headers, data });
  return new URL((await reply.json()).url).pathname;
}

export async function fill({ world }: Panel): Promise<Full> {
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
