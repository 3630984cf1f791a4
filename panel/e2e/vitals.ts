import type { Page } from 'playwright-core';

export interface Vitals {
  /** The sum of all layout shifts that no click or key press caused. CLS is at most this sum. */
  shift: number;
  /** When the largest part of the page was painted, in milliseconds after it began to load; null before that. */
  largestMs: number | null;
  moved: string[];
}

export function readVitals(page: Page): Promise<Vitals> {
  return page.evaluate(async () => {
    await document.fonts.ready;
    // Shifts are reported after the frame in which they happen.
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return (window as unknown as { vitals: Vitals }).vitals; // set by the script
  });
}

/** Runs in every page, before its own scripts. */
export function countVitals(): void {
  interface Shift extends PerformanceEntry {
    value: number;
    hadRecentInput: boolean;
    sources: { node: Element | null }[];
  }
  const vitals: Vitals = { shift: 0, largestMs: null, moved: [] };
  Object.assign(window, { vitals });
  const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('largest-contentful-paint', (entry) => {
    vitals.largestMs = entry.startTime;
  });
  observe('layout-shift', (entry) => {
    const { value, hadRecentInput, sources } = entry as Shift; // the entries of this type
    if (hadRecentInput) return;
    vitals.shift += value;
    vitals.moved.push(...sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? 'what is gone'));
  });
}

export interface Load {
  bytes: number;
  imageBytes: number;
  images: number;
}

/** Counts bytes as sent, including headers; cached files count as zero. */
export async function watchLoad(page: Page): Promise<() => Load> {
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  const load: Load = { bytes: 0, imageBytes: 0, images: 0 };
  const images = new Set<string>();
  client.on('Network.responseReceived', ({ requestId, response }) => {
    if (new URL(response.url).pathname.startsWith('/images/')) images.add(requestId);
  });
  client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    load.bytes += encodedDataLength;
    if (!images.has(requestId) || encodedDataLength === 0) return;
    load.imageBytes += encodedDataLength;
    load.images += 1;
  });
  return () => ({ ...load });
}
