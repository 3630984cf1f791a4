import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { Darkroom } from '../../sdk/src/index.ts';
import { type App, startApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { executablePath } from './support.ts';
import { countVitals, type Load, readVitals, type Vitals, watchLoad } from './vitals.ts';

// npm run page-weight -- --jobs 300 --rounds 5
// Measures in Chromium the weight and the loading time of the panel's pages, with images that `sketch` draws.
const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '300' }, rounds: { type: 'string', default: '5' } },
});
const jobs = Number(values.jobs);
const rounds = Number(values.rounds);

const window = { width: 1280, height: 900 };
/** The time for two refreshes of Home. */
const idleMs = 35_000;
const limits = { homeBytes: 300_000, scrolledBytes: 6_000_000, shift: 0.05, fastMs: 1_000, slowMs: 2_500 };
/** Emulates 4 Mbit/s, and a processor of half the speed. */
const slow = { bytesPerSecond: 500_000, latencyMs: 40, processor: 2 };
const scenes = ['a lighthouse at dusk', 'a red fox in the snow', 'a harbour in the fog', 'mountains at dawn'];
const ratios = ['1:1', '16:9', '3:4', '4:3', '9:16'] as const;

const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-weight-'));
try {
  await using app = await startApp(
    readConfig({ PORT: '0', DARKROOM_DATA_DIR: dataDir, DARKROOM_LOG_LEVEL: 'silent' }),
  );
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    await measure(app, () => browser.newContext({ baseURL: app.url ?? '', viewport: window }));
  } finally {
    await browser.close();
  }
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

async function measure(app: App, open: () => Promise<BrowserContext>): Promise<void> {
  const darkroom = new Darkroom({ baseUrl: app.url ?? '', apiKey: app.demo?.key ?? '' });
  await makeImages(darkroom, 0, 12);
  const first = await open();
  const visitor = await first.newPage();
  await visitor.goto(app.panelLink ?? '');
  await visitor.waitForURL(/\/accounts\//);
  const home = new URL(visitor.url()).pathname.split('/').slice(0, 3).join('/');
  const { cookies } = await first.storageState();
  await first.close();
  const cold = async (prepare: (page: Page) => Promise<unknown> = async () => {}): Promise<Opened> => {
    const context = await open();
    await context.addCookies(cookies);
    const page = await context.newPage();
    await prepare(page);
    await page.addInitScript(countVitals);
    return { page, vitals: () => readVitals(page), load: await watchLoad(page) };
  };

  await weighHome(home, cold);
  const pages = ['', '/make', '/jobs', '/keys', '/balance', '/usage', '/webhooks'];
  for (const path of [...pages.map((page) => home + page), '/operator/system', '/profile']) {
    const name = path.replace(home, '') || 'Home';
    const here = await openOften(path, cold);
    tell(`${name}, layout shifts`, here.shift.toFixed(4), here.shift < limits.shift);
    tell(`${name}, largest paint`, within(here.largestMs), here.largestMs.median < limits.fastMs);
    const { largestMs } = await openOften(path, () => cold(throttle));
    tell(`${name}, 4 Mbit/s, half the processor`, within(largestMs), largestMs.median < limits.slowMs);
  }

  await makeImages(darkroom, 12, jobs);
  const list = await cold();
  await settle(list.page, `${home}/jobs`);
  await scrollToEnd(list.page);
  const scrolled = list.load();
  tell(`Jobs, ${jobs} scrolled`, kilobytes(scrolled), scrolled.bytes < limits.scrolledBytes);
}

interface Opened {
  page: Page;
  vitals(): Promise<Vitals>;
  load(): Load;
}

async function weighHome(home: string, cold: () => Promise<Opened>): Promise<void> {
  const { page, load } = await cold();
  await settle(page, home);
  const opened = load();
  tell('Home, 12 images', kilobytes(opened), opened.bytes < limits.homeBytes);
  await sleep(idleMs);
  const again = load().images - opened.images;
  tell(`Home, idle for ${idleMs / 1000} s`, `${again} images again`, again === 0);
  await page.context().close();
}

interface Times {
  median: number;
  least: number;
  most: number;
}

async function openOften(
  path: string,
  cold: () => Promise<Opened>,
): Promise<{ shift: number; largestMs: Times }> {
  const shifts: number[] = [];
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { page, vitals } = await cold();
    await settle(page, path);
    const { shift, largestMs } = await vitals();
    shifts.push(shift);
    times.push(largestMs ?? Number.POSITIVE_INFINITY);
    await page.context().close();
  }
  times.sort((one, other) => one - other);
  const at = (index: number) => times[index] ?? Number.POSITIVE_INFINITY;
  const largestMs = { median: at(Math.floor(rounds / 2)), least: at(0), most: at(rounds - 1) };
  return { shift: Math.max(...shifts), largestMs };
}

function within({ median, least, most }: Times): string {
  return `${Math.round(median)} ms, of ${rounds} between ${Math.round(least)} and ${Math.round(most)}`;
}

/** Also waits for the renditions. */
async function makeImages(darkroom: Darkroom, from: number, to: number): Promise<void> {
  const made = Array.from({ length: to - from }, (_, index) => from + index);
  const ids: string[] = [];
  while (made.length > 0) {
    const batch = made.splice(0, 20).map((number) =>
      darkroom.generate('nb2', {
        prompt: `${scenes[number % scenes.length]}, number ${number}`,
        aspect_ratio: ratios[number % ratios.length] ?? '1:1',
      }),
    );
    ids.push(...(await Promise.all(batch)).map(({ job_id }) => job_id));
  }
  for (const id of ids) while ((await darkroom.getJob(id)).result?.thumbhash === null) await sleep(100);
}

async function settle(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  await quiet(page);
}

/** Waits until no image is loading. The network is never idle, because the panel always waits for changes. */
async function quiet(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const images = [...document.images];
    return images.every((image) => image.complete || image.getBoundingClientRect().top > innerHeight * 2);
  });
  await sleep(500);
}

async function scrollToEnd(page: Page): Promise<void> {
  for (let still = 0; still < 3; ) {
    const before = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 600);
    await sleep(120);
    await quiet(page);
    still = (await page.evaluate(() => scrollY)) === before ? still + 1 : 0;
  }
}

async function throttle(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slow.latencyMs,
    downloadThroughput: slow.bytesPerSecond,
    uploadThroughput: slow.bytesPerSecond,
  });
  await client.send('Emulation.setCPUThrottlingRate', { rate: slow.processor });
}

function kilobytes({ bytes, imageBytes, images }: Load): string {
  const size = (count: number) => `${Math.round(count / 1000)} kB`;
  return `${size(bytes)}, of it ${size(imageBytes)} in ${images} images`;
}

function tell(what: string, figure: string, isWithin: boolean): void {
  process.stdout.write(`${isWithin ? ' ' : '!'} ${what.padEnd(48)} ${figure}\n`);
  if (!isWithin) process.exitCode = 1;
}
