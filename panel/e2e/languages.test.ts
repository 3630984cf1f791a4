import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { fill, pagesOf } from './full-world.ts';
import { openPanel, skip } from './support.ts';

suite('languages', { skip }, () => {
  test('the panel is in the language of the browser, and in another once its person chooses it', async () => {
    await using panel = await openPanel();
    const page = await panel.operator({ locale: 'de-AT' });
    await page.goto('/profile');
    await page.getByRole('heading', { name: 'Profil und Sicherheit' }).waitFor();
    assert.equal(await page.getAttribute('html', 'lang'), 'de-AT');
    await page
      .getByText(/^vor \d+ s|gerade eben/)
      .first()
      .waitFor();
    await page.getByLabel('Sprache').selectOption({ label: '简体中文' });
    await page.getByRole('heading', { name: '个人资料与安全' }).waitFor();
    assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hans');

    // Another browser of the same person asks for English, and says what was chosen.
    const other = await panel.visitor();
    await other.context().addCookies(await page.context().cookies());
    await other.goto(panel.at('/balance'));
    await other.getByRole('heading', { name: '余额', exact: true }).waitFor();
    await other.goto('/profile');
    await other.getByLabel('语言').selectOption('');
    await other.getByRole('heading', { name: 'Profile and security' }).waitFor();
  });

  test('a page stands whatever the browser calls its language, and in English without the words', async () => {
    await using panel = await openPanel();
    const odd = await panel.visitor();
    await odd.addInitScript(() =>
      Object.defineProperty(navigator, 'languages', { value: ['en-US@posix', 'de'] }),
    );
    await odd.goto('/sign-in');
    await odd.getByRole('heading', { name: 'Sign in' }).waitFor();

    const german = await panel.visitor({ locale: 'de-DE' });
    await german.route(/\/assets\/de-/, (route) => route.fulfill({ status: 404 }));
    // A server of before knows nothing of what keeps programs out.
    await german.route('**/panel/sign-in', async (route) => {
      const { captcha: _, ...answer } = await (await route.fetch()).json();
      await route.fulfill({ json: answer });
    });
    await german.goto('/sign-in');
    await german.getByText('Forgotten the password?').waitFor();
    assert.equal(await german.getAttribute('html', 'lang'), 'en');
  });

  test('where a comma is the decimal, amounts are typed with one, and none means less than it says', async () => {
    await using panel = await openPanel();
    const page = await panel.operator({ locale: 'de-DE' });
    await page.goto(`/operator/accounts/${panel.world.accountId}`);
    await page.getByRole('button', { name: 'Gutschrift', exact: true }).click();
    const amount = page.getByLabel('Betrag, USD');
    await page.getByLabel('Grund').fill('Rechnung 7');
    await amount.fill('1.000');
    await page.getByRole('button', { name: 'Konto aufladen' }).click();
    await page.getByText('Schreiben Sie ihn ohne Punkt').waitFor();
    await amount.fill('1234,50');
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Konto aufladen' }).click();
    assert.equal((await asked).postDataJSON().amount, '1234.50');
    await amount.waitFor({ state: 'detached' });
  });

  test('words that are half as long again are cut off on no page, and all of them were asked for', async () => {
    await using panel = await openPanel({
      env: { DARKROOM_SHARING: 'true' },
      config: { publicVerify: true, statusPage: true },
    });
    const full = await fill(panel);
    const page = await panel.operator();
    await page.context().addInitScript(() => localStorage.setItem('darkroom-language', 'long'));
    const wrong: string[] = [];
    for (const path of [...pagesOf(panel, full), '/no/such/page']) {
      await page.goto(path);
      await page.locator('h1').first().waitFor();
      await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        for (const text of await lookedAt(page)) wrong.push(`${path}, ${width} px: ${text}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
});

/** Finds words that are cut off, and words without the mark that are no data. */
async function lookedAt(page: Page): Promise<string[]> {
  const texts = await page.evaluate(textsOf, mark);
  return texts.flatMap(({ text, cut, isData }) => {
    if (text.includes(mark)) return cut ? [`${cut}: ${text}`] : [];
    return isData || !/\p{L}{2}/u.test(text) || data.test(text) ? [] : [`not asked for: ${text}`];
  });
}

/** The mark of `panel/src/languages/lengthen.ts`. */
const mark = 'ł';

/** Words that are never translated: those that people wrote, names of providers, models, products and formats, and the API's English. */
const data = new RegExp(
  [
    // The world, and what is in it.
    /tests|test-1|Operator|demo|first credit|key|what (is refused|goes)|(a long prompt ?)+(a lo.*)?/,
    /Fast|Higher quality|Top tier|(Fast|Higher quality|Top tier) \(\w+\)|sqlite|disk|environment|gemini|openai|azure|bfl|fal|replicate/,
    // The audit log and the settings, as the server names them.
    /Link opened|with|one-time link|all/,
    // Products, programs, formats, units and addresses.
    /Darkroom|USD|Chrome, Linux|curl|TypeScript|Python|CLI|HTML|JSON|UTC|[\d.,]+ ([kMG]?B|MB|GB)|https?:\/\/\S+|[\w.-]+\.(com|ai)/,
    /OpenAI|Replicate|Gemini|ComfyUI|Black Forest Labs|Azure OpenAI|Amazon Bedrock|AUTOMATIC1111/,
    // Months are the browser's.
    /(January|February|March|April|May|June|July|August|September|October|November|December) \d{4}/,
    // Sentences of the API: of errors, settings and providers.
    /[A-Z].* .*\.|Not found|Google’s image models.*|GPT Image, or.*|FLUX, .*|Your own .*|Its collection .*|Stable Image .*|Also Forge .*/,
  ]
    .map(({ source }) => `^(${source})$`)
    .join('|'),
);

/** Runs in the page: every text in sight. */
function textsOf(marked: string): { text: string; cut: string; isData: boolean }[] {
  const found: { text: string; cut: string; isData: boolean }[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    const parent = node.parentElement;
    if (text === '' || !parent?.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;
    let cut = '';
    let scrolls = false;
    let isHidden = false;
    for (let at: HTMLElement | null = parent; at; at = at.parentElement) {
      const { overflowX, overflowY, position, textOverflow } = getComputedStyle(at);
      // Its title says all of it.
      if (textOverflow === 'ellipsis' && at.closest('[title]')) scrolls = true;
      const around = at.getBoundingClientRect();
      if (around.width <= 1 || around.height <= 1) isHidden = true;
      if (/auto|scroll/.test(overflowX)) scrolls = true;
      const cutsX =
        /hidden|clip/.test(overflowX) && (box.right > around.right + 1 || box.left < around.left - 1);
      const cutsY = /hidden|clip/.test(overflowY) && box.bottom > around.bottom + 3;
      if (!scrolls && (cutsX || cutsY)) cut ||= `cut off by ${at.tagName.toLowerCase()}.${at.className}`;
      if (position === 'fixed') break;
    }
    if (!scrolls && !cut && (box.right > innerWidth + 1 || box.left < -1)) cut = 'beyond the window';
    if (!isHidden) found.push({ text, cut, isData: parent.closest('code, pre') !== null });
  }
  return found.filter(({ text, cut }) => cut !== '' || !text.includes(marked));
}
