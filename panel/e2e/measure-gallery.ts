import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { catchUpWithPast, fillWithFinishedJobs } from '../../bench/fill.ts';
import { startDatabase } from '../../bench/start-database.ts';
import type { ImageStore } from '../../server/src/images/image-store.ts';
import { listJobPage } from '../../server/src/jobs/list-job-page.ts';
import { openWorld, type World } from '../../server/test/world/world.ts';
import { type BareChromium, openBareChromium } from './bare-chromium.ts';

// npm run gallery [-- --jobs 100000 --database sqlite,postgres --seconds 30]
// Measures an account with many jobs: how long searches take, how its gallery scrolls in Chromium, and how much memory
// that takes. With `--seconds 0`, it measures only the searches.
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    database: { type: 'string', default: 'sqlite,postgres' },
    seconds: { type: 'string', default: '30' },
  },
});
const jobs = Number(values.jobs);
const seconds = Number(values.seconds);
const limits = { searchMs: 100, framesPerSecond: 60, megabytes: 300 };
const executablePath = '/usr/bin/chromium';
const viewport = { width: 1280, height: 900 };
const searches = 15;
/** The speed of a person who scrolls to find something: two screens per second. */
const pixelsPerSecond = 1_800;

const filters: readonly [what: string, filter: Omit<Parameters<typeof listJobPage>[1], 'accountId'>][] = [
  ['a word of every prompt', { words: 'lighthouse' }],
  ['a word of one in a hundred', { words: 'dusk series42' }],
  ['a word of the oldest alone', { words: 'image0 dusk' }],
  ['words that no prompt has together', { words: 'image7 series3' }],
  ['a word of every prompt, and a model of none', { words: 'lighthouse', model: 'pro' }],
  ['a word of every prompt, and a status of none', { words: 'lighthouse', status: 'failed' }],
  ['a word of every prompt, and a colour of none', { words: 'lighthouse', colour: 'pink' }],
  ['a word of every prompt, and a tag of none', { words: 'lighthouse', tag: 'spring' }],
  ['a model of none', { model: 'pro' }],
  ['a colour of none', { colour: 'pink' }],
];

for (const database of values.database.split(',')) {
  process.stdout.write(`${database === 'postgres' ? 'PostgreSQL' : 'SQLite'}, ${jobs} jobs of one account\n`);
  await using _ = await startDatabase(database);
  await using world = await openWorld({ replacements: { images: await openImages() } });
  await fillWithFinishedJobs(world.app.database, world.accountId, jobs);
  await catchUpWithPast(world.app.database, world.accountId);
  for (const [what, filter] of filters) await timeSearch(world, what, filter);
  if (seconds > 0) await measureScrolling(world);
}

async function timeSearch(world: World, what: string, filter: (typeof filters)[number][1]): Promise<void> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let turn = 0; turn < searches; turn++) {
    const began = performance.now();
    await listJobPage(
      world.app.database,
      { accountId: world.accountId, ...filter },
      { limit: 100, promptLength: 200 },
    );
    times.push(performance.now() - began);
  }
  const median = times.sort((one, other) => one - other)[Math.floor(searches / 2)] ?? 0;
  const { user, system } = process.cpuUsage(before);
  // On SQLite, a search takes only processor time. The rest of the measured time is waiting on a busy machine.
  const usedMs = (user + system) / 1_000 / searches;
  tell(
    what,
    `${median.toFixed(1)} ms, ${usedMs.toFixed(1)} ms of processor time here`,
    median < limits.searchMs,
  );
}

async function measureScrolling(world: World): Promise<void> {
  await using page = await openBareChromium(executablePath, viewport);
  await page.send('Page.navigate', { url: world.app.panelLink ?? '' });
  await page.waitFor(() => /\/accounts\//.test(location.pathname));
  await page.send('Page.navigate', { url: `${world.url}/accounts/${world.accountId}/jobs` });
  await page.waitFor(() => document.querySelector('[data-index]') !== null);
  const memory = async (when: string) => {
    const { scripts, own, images } = await readMemory(page);
    const figure = `${own} MB, ${scripts} of them of scripts, and ${images} of decoded images`;
    tell(`memory ${when}`, figure, own < limits.megabytes);
  };
  await memory('at the beginning');
  report('scrolling from the beginning', await scroll(page, seconds * 1_000));
  await memory('then');
  const took = await scrollToEnd(page);
  const tiles = await page.evaluate(() => document.querySelectorAll('[data-index]').length, null);
  process.stdout.write(`  the end is reached after ${took.toFixed(0)} s, with ${tiles} tiles in the page\n`);
  await memory('at the end');
  report('scrolling up from the end', await scroll(page, seconds * 1_000, -1));
  await memory('then');
  await page.send('Memory.simulatePressureNotification', { level: 'critical' });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3_000)), null);
  await memory('once others need it');
}

interface Frames {
  perSecond: number;
  /** The longest wait for a frame, in milliseconds; `p99Ms` is the 99th percentile. */
  longestMs: number;
  p99Ms: number;
  /** Processor time of the page's thread per frame, without other work on the machine. */
  usedMs: number;
}

function report(what: string, { perSecond, p99Ms, longestMs, usedMs }: Frames): void {
  const figure = `${perSecond.toFixed(1)} frames/s, p99 ${p99Ms.toFixed(0)} ms, longest ${longestMs.toFixed(0)} ms, ${usedMs.toFixed(1)} ms of processor time each`;
  // One frame of tolerance, because a display's clock is never exact.
  tell(what, figure, perSecond > limits.framesPerSecond - 1);
}

async function scroll(page: BareChromium, forMs: number, direction: 1 | -1 = 1): Promise<Frames> {
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  const usedMs = async () => {
    const { metrics } = await page.send<{ metrics: { name: string; value: number }[] }>(
      'Performance.getMetrics',
    );
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const before = await usedMs();
  const { count, ...frames } = await page.evaluate(
    ([ms, speed]) =>
      new Promise<Omit<Frames, 'usedMs'> & { count: number }>((resolve) => {
        const waits: number[] = [];
        const began = performance.now();
        let last = began;
        const frame = (now: number) => {
          waits.push(now - last);
          window.scrollBy(0, ((now - last) / 1_000) * speed);
          last = now;
          if (now - began < ms) return void requestAnimationFrame(frame);
          waits.sort((one, other) => one - other);
          resolve({
            count: waits.length,
            perSecond: (waits.length / (now - began)) * 1_000,
            longestMs: waits.at(-1) ?? 0,
            p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
          });
        };
        requestAnimationFrame(frame);
      }),
    [forMs, direction * pixelsPerSecond] as const,
  );
  return { ...frames, usedMs: ((await usedMs()) - before) / count };
}

/** Scrolls to the end, as the End key does, until no more tiles appear. Returns the time in seconds. */
async function scrollToEnd(page: BareChromium): Promise<number> {
  const began = performance.now();
  await page.evaluate(async () => {
    for (let still = 0, height = 0; still < 40; ) {
      window.scrollTo(0, document.documentElement.scrollHeight);
      await new Promise((resolve) => setTimeout(resolve, 50));
      const now = document.documentElement.scrollHeight;
      still = now === height ? still + 1 : 0;
      height = now;
    }
  }, null);
  return (performance.now() - began) / 1_000;
}

/** In megabytes: `own` of the page's process, its part `scripts`, and decoded `images` (cached up to 512 MB). */
async function readMemory(page: BareChromium): Promise<{ scripts: number; own: number; images: number }> {
  await page.send('HeapProfiler.collectGarbage');
  const { usedSize } = await page.send<{ usedSize: number }>('Runtime.getHeapUsage');
  const sizes = await Promise.all((await page.renderers()).map(residentOf));
  // The largest process is the page's, because Chromium's own pages are smaller.
  const largest = sizes.reduce((one, other) =>
    other.own + other.images > one.own + one.images ? other : one,
  );
  return { scripts: Math.round(usedSize / 1e6), ...largest };
}

async function residentOf(pid: number): Promise<{ own: number; images: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Math.round((Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024) / 1e6);
  return { own: megabytes('RssAnon'), images: megabytes('RssShmem') };
}

async function openImages(): Promise<ImageStore> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const small = await sharp({ create: { width: 16, height: 9, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer();
  const images = await Promise.all(
    [256, 768, 1376].map((width) => sharp(small).resize({ width, kernel: 'cubic' }).webp().toBuffer()),
  );
  return {
    kind: 'disk',
    put: async () => {},
    async get(key) {
      const bytes = images[['-256.webp', '-768.webp'].findIndex((end) => key.endsWith(end))] ?? images.at(-1);
      return bytes && { bytes: bytes.length, body: Readable.from([bytes]) };
    },
    remove: async () => {},
    async *list() {},
    check: async () => {},
    sweep: async () => ({ removed: 0 }),
  };
}

function tell(what: string, figure: string, isWithin: boolean): void {
  process.stdout.write(`${isWithin ? ' ' : '!'} ${what.padEnd(46)} ${figure}\n`);
  if (!isWithin) process.exitCode = 1;
}
