import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';

const lookEveryMs = 50;
/** The time in which a new page or window settles its layout. */
const withinMs = 5_000;

export async function lookedAt(page: Page, others?: RegExp): Promise<string[]> {
  for (const deadline = Date.now() + withinMs; ; await sleep(lookEveryMs)) {
    const wrong = await look(page, others);
    if (wrong.length === 0 || Date.now() > deadline) return wrong;
  }
}

async function look(page: Page, others?: RegExp): Promise<string[]> {
  const texts = await page.evaluate(textsOf, mark);
  return texts.flatMap(({ text, cut, isData }) => {
    if (text.includes(mark)) return cut ? [`${cut}: ${text}`] : [];
    return isData || !/\p{L}{2}/u.test(text) || data.test(text) || others?.test(text)
      ? []
      : [`not asked for: ${text}`];
  });
}

/** The mark with which `panel/src/languages/lengthen.ts` begins every translated word. */
const mark = 'ł';

/** Text that is never translated: people's own text, the API's English, and names of providers and products. */
const data = new RegExp(
  [
    // The test world's names.
    /tests|test-1|Operator|demo|first credit|key|what (is refused|goes)|(a long prompt ?)+(a lo.*)?/,
    /Fast|Higher quality|Top tier|(Fast|Higher quality|Top tier) \(\w+\)|sqlite|disk|gemini|openai|azure|bfl|fal|replicate/,
    // Process roles.
    /all/,
    /Darkroom|USD|Chrome, Linux|curl|TypeScript|Python|CLI|HTML|JSON|([\d.]+ [\d:]+ )?UTC|[\d.,]+ ([kMG]?B|MB|GB)|https?:\/\/\S+|[\w.-]+\.(com|ai)/,
    /OpenAI|Replicate|Gemini|ComfyUI|Black Forest Labs|Azure OpenAI|Amazon Bedrock|AUTOMATIC1111/,
    // Months, whose names the browser writes.
    /(January|February|March|April|May|June|July|August|September|October|November|December) \d{4}/,
  ]
    .map(({ source }) => `^(${source})$`)
    .join('|'),
);

/** Runs in the page. Returns every visible text. */
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
      const { overflowX, overflowY, position, textOverflow, webkitLineClamp } = getComputedStyle(at);
      // Text may be cut off if the element's title has the whole text.
      if ((textOverflow === 'ellipsis' || webkitLineClamp !== 'none') && at.closest('[title]'))
        scrolls = true;
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
    if (!isHidden) found.push({ text, cut, isData: parent.closest('code, pre, [lang]:not(html)') !== null });
  }
  return found.filter(({ text, cut }) => cut !== '' || !text.includes(marked));
}
