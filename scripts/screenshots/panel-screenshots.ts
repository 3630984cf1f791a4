import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import sharp from 'sharp';
import { openBrowser } from '../../panel/e2e/support.ts';
import { debitAccount } from '../../server/src/accounts/debit-account.ts';
import { type App, startApp } from '../../server/src/app.ts';
import { commandLine } from '../../server/src/base/audit/audit-store.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { HeldClock } from '../../server/test/world/clock.ts';
import { silentLog } from '../../server/test/world/silent-log.ts';
import { days, makeBatch, makeJob, makeKeys, makeMonth } from './month-of-work.ts';
import { shootConnecting } from './shoot-connecting.ts';
import { areThere, shootEverything } from './shoot-everything.ts';

// Writes docs/panel/*.png. With a folder as the argument, writes every page and dialog at all sizes into it instead.
// Starts a server with a simulated month of work. Takes some minutes, because every image is drawn.
const folder = join(import.meta.dirname, '../../docs/panel');
const everything = process.argv[2];
const told = [
  ...[
    'home',
    'make',
    'jobs',
    'job',
    'job-failed',
    'keys',
    'key-create',
    'balance',
    'usage',
    'statement',
    'key',
  ],
  ...['own-account', 'webhooks', 'delivery', 'accounts', 'account', 'models', 'model', 'model-settings'],
  ...['system', 'audit', 'profile'],
];
/** The wait for images to be decoded and the page to stand still. */
const settledMs = 1_200;

const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-screenshots-'));
const clock = new HeldClock();
clock.offsetMs = -days * 24 * 60 * 60 * 1000;
const receiver = await openReceiver();
try {
  await using past = await start();
  const jobKey = past.demo?.key ?? '';
  const keys = await makeKeys(past, clock, jobKey);
  await makeMonth(past, clock, keys);
  await past[Symbol.asyncDispose]();
  clock.offsetMs = 0;
  await using app = await start();
  await photograph(app, keys);
} finally {
  receiver.close();
  await rm(dataDir, { recursive: true, force: true });
}

function start(): Promise<App> {
  const env = {
    ...{ PORT: '0', DARKROOM_DATA_DIR: dataDir, DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' },
    DARKROOM_SHARING: 'true',
  };
  return startApp(readConfig(env, { role: 'all' }), { clock, log: silentLog });
}

async function photograph(app: App, keys: string[]): Promise<void> {
  using opened = await openBrowser();
  const { browser } = opened;
  const context = await browser.newContext({ baseURL: app.url ?? '', reducedMotion: 'reduce' });
  const account = await signIn(context, app);
  await setUp(context, app, account, keys);
  const screens = await findScreens(context, account);
  if (everything) {
    await mkdir(everything, { recursive: true });
    await shootEverything(context, screens, { account, folder: everything });
    await context.close();
    return;
  }
  await mkdir(folder, { recursive: true });
  for (const name of told) await shoot(context, screens[name] ?? '', name, 'light', 1280);
  for (const name of ['home', 'make', 'job', 'usage']) {
    await shoot(context, screens[name] ?? '', `${name}-dark`, 'dark', 1280);
  }
  for (const name of ['home', 'make', 'jobs']) {
    await shoot(context, screens[name] ?? '', `${name}-360`, 'light', 360);
  }
  await shootSignIn(browser, app);
  await shootConnecting(context, settledMs, write);
  await context.close();
}

async function findScreens(context: BrowserContext, account: string): Promise<Record<string, string>> {
  const { data } = (await get(context, '/api/v1/jobs?status=done&limit=2', account)) as Listed;
  const failed = ((await get(context, '/api/v1/jobs?status=failed&limit=1', account)) as Listed).data;
  const job = data[0]?.job_id ?? '';
  const delivery = await findRetried(context, account);
  const keyRows = (await get(context, '/api/v1/keys', account)) as { data: { key_id: string }[] };
  const key = keyRows.data.at(-1)?.key_id;
  const best = (await get(context, '/api/v1/jobs?status=done&model=pro&limit=1', account)) as Listed;
  const home = `/accounts/${account}`;
  const { data: albums } = (await get(context, '/api/v1/albums', account)) as {
    data: { album_id: string }[];
  };
  const { data: shares } = (await get(context, '/api/v1/shares', account)) as { data: { url: string }[] };
  return {
    album: `${home}/albums/${albums[0]?.album_id}`,
    endpoint: `${home}/webhooks/endpoints/default`,
    shared: new URL(shares[0]?.url ?? '').pathname,
    'shared-ended': `/shared/${'x'.repeat(22)}`,
    'no-account': '/accounts/UNKNOWN/jobs',
    'not-found': '/nowhere',
    owed: '/operator/owed',
    connections: '/operator/connections',
    home,
    make: `${home}/make?job=${best.data[0]?.job_id}&from=${best.data[0]?.job_id}`,
    jobs: `${home}/jobs`,
    job: `${home}/jobs/${job}`,
    'job-failed': `${home}/jobs/${failed[0]?.job_id}`,
    keys: `${home}/keys`,
    'key-create': `${home}/keys?new=yes`,
    balance: `${home}/balance`,
    usage: `${home}/usage`,
    statement: `${home}/balance/${new Date().toISOString().slice(0, 7)}`,
    'own-account': `${home}/account`,
    edit: `${home}/jobs/${job}/edit`,
    'jobs-table': `${home}/jobs?view=table`,
    batches: `${home}/batches`,
    'new-batch': `${home}/batches/new`,
    albums: `${home}/albums`,
    key: `${home}/keys/${key}`,
    webhooks: `${home}/webhooks`,
    delivery: `${home}/webhooks/${delivery}`,
    accounts: '/operator/accounts',
    'account-data': `/operator/accounts/${account}/data`,
    margins: '/operator/margins',
    prices: '/operator/prices',
    payments: '/operator/payments',
    vouchers: '/operator/vouchers',
    'bill-check': '/operator/bill-check',
    reports: '/operator/reports',
    providers: '/operator/connect',
    account: `/operator/accounts/${account}`,
    models: '/operator/models',
    model: '/operator/models/nb2',
    'model-settings': '/operator/models/nb2?view=settings',
    system: '/operator/system',
    audit: '/operator/audit',
    profile: '/profile',
  };
}

/** Finds the delivery that the receiver refused at first. It is retried after some seconds. */
async function findRetried(context: BrowserContext, account: string): Promise<string> {
  for (;;) {
    const { data } = (await get(context, '/api/v1/deliveries', account)) as {
      data: { delivery_id: string; attempts: number; status: string }[];
    };
    const retried = data.find(({ attempts, status }) => attempts > 1 && status === 'delivered');
    if (retried) return retried.delivery_id;
    await new Promise((resolve) => setTimeout(resolve, settledMs));
  }
}

interface Listed {
  data: { job_id: string }[];
}

async function signIn(context: BrowserContext, app: App): Promise<string> {
  const page = await context.newPage();
  await page.goto(app.panelLink ?? '');
  await page.waitForURL(/\/accounts\//);
  const account = page.url().split('/').at(-1) ?? '';
  await page.close();
  return account;
}

/** Adds the rest of a month's work: a password, a webhook with deliveries, another account, a pause. */
async function setUp(context: BrowserContext, app: App, account: string, keys: string[]): Promise<void> {
  const send = async (method: string, path: string, data: object) => {
    const headers = { origin: app.url ?? '', ...asPage(account) };
    const reply = await context.request.fetch(path, { method, data, headers });
    if (!reply.ok()) throw new Error(`${path}: ${reply.status()} ${await reply.text()}`);
    return reply.status() === 204 ? null : reply.json();
  };
  const post = (path: string, data: object) => send('POST', path, data);
  await post('/panel/session/credentials', {
    name: 'Ada',
    email: 'ada@example.com',
    password: 'correct horse battery',
  });
  await post('/api/v1/webhooks', { url: receiver.url, events: null });
  await makeBatch(app, keys[0] ?? '');
  for (let seed = 0; seed < 4; seed++) await makeJob(app, keys[seed % 3] ?? '', seed);
  await post('/admin/v1/accounts', { name: 'Harbour Press', credit: '250.00' });
  await post('/admin/v1/accounts', { name: 'Night School' });
  await send('PATCH', '/api/v1/limits', { spend_month: '50', requests_minute: 600 });
  for (const [name, role] of [
    ['Grace', 'developer'],
    ['Edsger', 'billing'],
  ] as const) {
    const { url } = await post(`/admin/v1/accounts/${account}/invitations`, { note: name, role });
    await accept(app, name, url);
  }
  await post(`/admin/v1/accounts/${account}/invitations`, { note: 'Barbara, design', role: 'viewer' });
  const refund = { account, amountMicros: 1_250_000n, reason: 'Invoice 117 was credited twice' };
  await debitAccount({ database: app.database, tellBalances: async () => {} }, refund, commandLine);
  await send('PUT', '/admin/v1/pauses/nb', { reason: 'Moving to a new provider' });
  await keepSome(context, account, { post, send });
}

type Send = (method: string, path: string, data: object) => Promise<unknown>;

async function keepSome(
  context: BrowserContext,
  account: string,
  { post, send }: { post: (path: string, data: object) => Promise<unknown>; send: Send },
): Promise<void> {
  const { data } = (await get(context, '/api/v1/jobs?status=done&limit=9', account)) as Listed;
  const job_ids = data.map(({ job_id }) => job_id);
  for (const [name, first] of [
    ['For the lighthouse museum', 3],
    ['Spring catalogue', 0],
  ] as const) {
    const { album_id } = (await post('/api/v1/albums', { name })) as { album_id: string };
    await send('PATCH', `/api/v1/albums/${album_id}`, { add: job_ids.slice(first) });
  }
  await post('/api/v1/shares', { job_ids: job_ids.slice(0, 4), with_prompts: true, days: 30 });
  await send('PUT', '/admin/v1/price-groups/resellers', { name: 'Resellers', factor: '0.8' });
}

async function accept(app: App, name: string, url: string): Promise<void> {
  const email = `${name.toLowerCase()}@example.com`;
  const body = { token: new URL(url).hash.slice(1), name, email, password: 'correct horse battery' };
  const reply = await fetch(`${app.url}/panel/links/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url ?? '' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`the invitation of ${name}: ${reply.status} ${await reply.text()}`);
}

async function get(context: BrowserContext, path: string, account = ''): Promise<unknown> {
  return (await context.request.get(path, { headers: asPage(account) })).json();
}

function asPage(account: string): Record<string, string> {
  return { 'darkroom-panel': '1', 'darkroom-account': account };
}

async function shoot(
  context: BrowserContext,
  path: string,
  name: string,
  colorScheme: 'light' | 'dark',
  width: number,
): Promise<void> {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: width < 600 ? 760 : 860 });
  await page.goto(path);
  await page.locator('h1').waitFor();
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  // Waits for the last jobs' renditions. Polls, because the page's content security policy forbids `waitForFunction`,
  // which evaluates a string as code.
  while (!(await page.evaluate(areThere))) await page.waitForTimeout(settledMs);
  await page.waitForTimeout(settledMs);
  await write(name, await page.screenshot());
  await page.close();
}

async function shootSignIn(browser: Browser, app: App): Promise<void> {
  const context = await browser.newContext({ baseURL: app.url ?? '' });
  await shoot(context, '/sign-in', 'sign-in', 'light', 1280);
}

/** Writes the image with a palette: screens have few colours, so it takes a quarter of the bytes. */
async function write(name: string, png: Buffer): Promise<void> {
  await writeFile(
    join(folder, `${name}.png`),
    await sharp(png).png({ palette: true, quality: 85, effort: 10 }).toBuffer(),
  );
}

async function openReceiver(): Promise<{ url: string; close(): void }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume();
    count += 1;
    const well = count % 4 !== 2;
    response
      .writeHead(well ? 200 : 500, { 'content-type': 'text/plain' })
      .end(well ? 'ok' : 'database is locked');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  return { url: `http://127.0.0.1:${port}/darkroom`, close: () => server.close() };
}
