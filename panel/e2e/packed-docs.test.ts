import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Browser, BrowserContext } from 'playwright-core';
import { type PackedProgram, startPacked } from '../../cli/test/packed-program.ts';
import { check } from './axe.ts';
import { openBrowser, skip } from './support.ts';
import { countVitals, readVitals, type Vitals } from './vitals.ts';

// The documentation as an installation's customers see it.

/** The longest acceptable time to the largest paint on the first request for a page, in milliseconds. */
const maxPaintMs = 1_000;
const patienceMs = 60_000;

suite('the documentation of the packed program', { skip }, () => {
  test('no link is dead, every page is painted within a second, axe finds nothing, and it can be searched, printed and read on a phone', async (t) => {
    using shared = await openBrowser();
    await using packed = await startPacked();
    const pages = await crawl(packed);
    assert.ok(pages.length > 50, `${pages.length} pages`);

    const paints = await inContext(shared.browser, packed, (context) => paint(context, pages));
    const [slowest] = paints.toSorted((one, other) => other.ms - one.ms);
    t.diagnostic(
      `${paints.length} pages, LCP ${median(paints)} ms in the middle, ${slowest?.ms} ms at most: ${slowest?.path}`,
    );
    assert.ok(slowest && slowest.ms < maxPaintMs, `${slowest?.path}: ${slowest?.ms} ms`);

    await inContext(shared.browser, packed, async (context) => {
      const page = await context.newPage();
      for (const path of [
        '/docs',
        '/docs/start/api',
        '/docs/concepts/money',
        '/docs/errors',
        '/docs/changelog',
      ]) {
        await page.goto(path);
        await check(page, path);
      }
    });
    await inContext(shared.browser, packed, search);
    await inContext(shared.browser, packed, print);
    await inContext(shared.browser, packed, async (context) => {
      const page = await context.newPage();
      await page.setViewportSize({ width: 360, height: 800 });
      const wide: [path: string, by: string][] = [];
      for (const path of pages) {
        await page.goto(path, { waitUntil: 'domcontentloaded' });
        const by = await page.evaluate(() =>
          document.documentElement.scrollWidth <= innerWidth
            ? undefined
            : [...document.querySelectorAll('main *')]
                .filter((one) => one.getBoundingClientRect().right > innerWidth)
                .at(-1)
                ?.outerHTML.slice(0, 160),
        );
        if (by !== undefined) wide.push([path, by]);
      }
      assert.deepEqual(wide, []);
    });
  });
});

async function crawl({ url }: PackedProgram): Promise<string[]> {
  const texts = new Map<string, string>();
  const anchors: [from: string, path: string, id: string][] = [];
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (texts.has(path)) continue;
    const answer = await fetch(url + path, { headers: { accept: 'text/html, */*' } });
    const text = await answer.text();
    assert.equal(answer.status, 200, path);
    const isPage = /^\/docs/.test(path) && /html/.test(answer.headers.get('content-type') ?? '');
    texts.set(path, isPage ? text : '');
    if (!isPage) continue;
    for (const [, link = ''] of text.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      if (!/^[#/]/.test(link)) continue;
      const { pathname, hash } = new URL(link, url + path);
      if (hash !== '') anchors.push([path, pathname, decodeURIComponent(hash.slice(1))]);
      if (!texts.has(pathname)) waiting.push(pathname);
    }
  }
  for (const [from, path, id] of anchors)
    assert.ok(isThere(texts.get(path), id), `${from} leads to ${path}#${id}`);
  return [...texts].filter(([, text]) => text !== '').map(([path]) => path);
}

/** Whether a page has this anchor. Pages outside the documentation have their own tests. */
function isThere(page: string | undefined, id: string): boolean {
  return !page || page.includes(` id="${id}"`);
}

async function paint(context: BrowserContext, pages: readonly string[]) {
  const page = await context.newPage();
  await page.addInitScript(countVitals);
  const paints: { path: string; ms: number }[] = [];
  for (const path of pages) {
    let ms = Number.POSITIVE_INFINITY;
    // Repeats the measurement until one is fast, because the machine may be busy.
    const giveUpAt = performance.now() + patienceMs;
    while (ms >= maxPaintMs && performance.now() < giveUpAt) {
      await page.goto(path);
      await page.waitForFunction(() => (window as unknown as { vitals: Vitals }).vitals.largestMs !== null); // set by `countVitals`
      ms = Math.round((await readVitals(page)).largestMs ?? ms);
    }
    paints.push({ path, ms });
  }
  return paints;
}

function median(paints: readonly { ms: number }[]): number | undefined {
  return paints.map(({ ms }) => ms).sort((one, other) => one - other)[Math.floor(paints.length / 2)];
}

async function search(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  for (const [words, address] of [
    ['rate limit', /\/docs\/concepts\/limits(#.*)?$/],
    ['refund', /\/docs\/concepts\/money#refunds$/],
    ['mask', /\/docs\/guides\/images(#masks)?$/],
  ] as const) {
    await page.goto('/docs');
    await page.getByRole('searchbox').fill(words);
    await page.locator('.found a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  }
}

/** A printed page has only the page's words: no navigation, no search, no buttons. */
async function print(context: BrowserContext): Promise<void> {
  const page = await context.newPage();
  await page.goto('/docs/start/api');
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('h1').isVisible(), true);
  assert.equal(await page.getByRole('searchbox').isVisible(), false);
  assert.equal(await page.getByRole('button', { name: 'Copy' }).first().isVisible(), false);
  assert.ok((await page.pdf({ format: 'A4' })).length > 10_000);
}

async function inContext<Result>(
  browser: Browser,
  { url }: PackedProgram,
  use: (context: BrowserContext) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1366, height: 900 } });
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}
