import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { openWorld, type World, type WorldOptions } from '../../server/test/world/world.ts';

/** Chromium without a window, which opens a page in a quarter of the usual processor time. */
const shell = '/usr/bin/chromium-headless-shell';
export const executablePath = [shell, '/usr/bin/chromium'].find(existsSync) ?? shell;
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Turns off code optimisation. It takes a tenth of the processor time, and comes too late for pages that live for
  // seconds.
  '--js-flags=--no-opt --no-maglev',
];

/** The reason why a `suite` cannot run here, or false. CI skips nothing: there, a missing browser is a failure. */
export const skip: string | false =
  existsSync(executablePath) || process.env.CI === 'true'
    ? false
    : `THE PANEL IS NOT TESTED: no browser at ${executablePath} (apt-get install chromium-headless-shell)`;

/** A long limit, because CI is slow and shared; only failures take this long. */
const timeoutMs = 60_000;

export interface Look {
  scheme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** The language that the browser requests, such as `de-AT`; American English by default. */
  locale?: string;
  touch?: boolean;
}

export interface Panel extends AsyncDisposable {
  world: World;
  visitor(look?: Look): Promise<Page>;
  operator(look?: Look): Promise<Page>;
  at(path?: string, accountId?: string): string;
}

/** Disposing asserts that no page threw and that the CSP refused nothing. */
export async function openPanel(options: WorldOptions = {}): Promise<Panel> {
  await using stack = new AsyncDisposableStack();
  // Opened first, so that the browser is closed last.
  const { browser } = stack.use(await openBrowser());
  const world = stack.use(
    await openWorld({ ...options, env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8', ...options.env } }),
  );
  const contexts: BrowserContext[] = [];
  stack.defer(async () => {
    for (const context of contexts) await context.close();
  });
  const wrong: string[] = [];
  let operators: BrowserContext | undefined;

  const context = async (look: Look) => {
    const made = await browser.newContext({
      baseURL: world.url,
      viewport: { width: look.width ?? 1280, height: look.height ?? 900 },
      colorScheme: look.scheme ?? 'light',
      reducedMotion: 'reduce',
      locale: look.locale ?? 'en-US',
      hasTouch: look.touch ?? false,
      isMobile: look.touch ?? false,
    });
    contexts.push(made);
    made.setDefaultTimeout(timeoutMs);
    made.on('weberror', (error) => wrong.push(String(error.error())));
    made.on('console', (message) => {
      if (/Content Security Policy|hydrat|Warning:/i.test(message.text())) wrong.push(message.text());
    });
    return made;
  };

  const running = stack.move();
  return {
    world,
    visitor: async (look = {}) => (await context(look)).newPage(),
    async operator(look = {}) {
      if (operators) {
        const page = await operators.newPage();
        await page.setViewportSize({ width: look.width ?? 1280, height: look.height ?? 900 });
        return page;
      }
      operators = await context(look);
      const page = await operators.newPage();
      await page.goto(world.app.panelLink ?? assert.fail('the server printed no link'));
      await page.waitForURL(/\/accounts\//);
      await page.locator('#main h1').waitFor();
      return page;
    },
    at: (path = '', accountId = world.accountId) => `/accounts/${accountId}${path}`,
    async [Symbol.asyncDispose]() {
      await running.disposeAsync();
      assert.deepEqual(wrong, []);
    },
  };
}

// How long an unused browser stays open: long enough for a file's next test to begin.
const keptMs = 500;
let opened: Promise<Browser> | undefined;
let users = 0;
let closing: NodeJS.Timeout | undefined;

export async function openBrowser(): Promise<{ browser: Browser } & Disposable> {
  clearTimeout(closing);
  users += 1;
  opened ??= chromium.launch({ executablePath, args: flags });
  return {
    browser: await opened,
    [Symbol.dispose]() {
      users -= 1;
      if (users === 0) closing = setTimeout(closeBrowser, keptMs);
    },
  };
}

async function closeBrowser(): Promise<void> {
  const browser = await opened;
  opened = undefined;
  await browser?.close();
}
