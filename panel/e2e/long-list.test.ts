import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Job } from '@darkroom/server/panel-contract';
import type { Page } from 'playwright-core';
import { openPanel, skip } from './support.ts';

const count = 10_000;
/** The processor time between two frames that a person notices as a stall. Time without a processor does not count. */
const stallMs = 400;
/** How much more a frame may take at the end of the list than at its beginning. */
const growth = 3;

suite('ten thousand jobs', { skip }, () => {
  test('scroll to the end and filter without a stall, with few of them in the page at a time', async () => {
    await using panel = await openPanel();
    const page = await panel.operator();
    const rows = Array.from({ length: count }, (_, index) => row(index));
    await page.route(/\/api\/v1\/jobs\?/, (route) => {
      const query = new URL(route.request().url()).searchParams;
      const wanted = rows.filter((job) => !query.get('status') || job.status === query.get('status'));
      const start = Number(query.get('cursor') ?? 0);
      const end = start + Number(query.get('limit'));
      const next_cursor = end < wanted.length ? String(end) : null;
      return route.fulfill({ json: { data: wanted.slice(start, end), next_cursor } });
    });
    const steps = await scrollAndFilter(page, panel.at('/jobs'));
    assert.ok(Math.max(...steps) < stallMs, `the longest stall took ${Math.max(...steps)} ms`);
    const part = Math.floor(steps.length / 4);
    const [first, last] = [median(steps.slice(0, part)), median(steps.slice(-part))];
    assert.ok(last < growth * first, `a frame takes ${first} ms at the beginning, ${last} ms at the end`);
  });
});

async function scrollAndFilter(page: Page, address: string): Promise<number[]> {
  await page.goto(address);
  await page.getByText('prompt number 0').waitFor();
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const usedMs = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const used = [await usedMs()];
  const last = page.getByText(`prompt number ${count - 1}`, { exact: true });
  for (let turn = 0; turn < count && (await last.count()) === 0; turn++) {
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          window.scrollTo(0, document.documentElement.scrollHeight);
          requestAnimationFrame(() => resolve());
        }),
    );
    used.push(await usedMs());
  }
  assert.ok((await page.locator('[data-index]').count()) < 120, 'only what is in sight is drawn');
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Status').selectOption('failed');
  await page.getByText('prompt number 9', { exact: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('status'), 'failed');
  used.push(await usedMs());
  return used.slice(1).map((ms, index) => ms - (used[index] ?? 0));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function row(index: number): Job {
  const at = new Date(Date.UTC(2026, 0, 1) - index * 60_000).toISOString();
  const failed = index % 10 === 9;
  return {
    job_id: `0${(count - index).toString(16).padStart(7, '0')}-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
    status: failed ? 'failed' : 'done',
    model: 'nb2',
    mode: 'text',
    prompt: `prompt number ${index}`,
    aspect_ratio: '1:1',
    resolution: '1K',
    price: '0.04',
    key_id: null,
    created_at: at,
    started_at: at,
    finished_at: at,
    error: failed ? 'no' : null,
    error_code: failed ? 'no_image' : null,
    result: null,
    input_images_urls: [],
    tags: [],
    starred: false,
  };
}
