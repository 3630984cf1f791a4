import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { keepReading } from '../../../../base/std/lateness/keep-reading.ts';
import type { Log } from '../../../../base/std/log.ts';
import { AppError } from '../../../../errors.ts';
import { readStored } from '../../../../images/read-stored.ts';
import { openShare } from '../../../../jobs/shares/share-images.ts';
import { openRendition } from '../images/open-rendition.ts';
import type { ShareDeps } from '../jobs/share-pages.ts';
import type { Example } from './landing-page.ts';

export interface LandingExamples {
  /** Returns the examples as last read, about 15 seconds ago under steady traffic. Only the first request waits. */
  list(): Promise<readonly Example[]>;
  contentOf(path: string): Promise<Buffer | undefined>;
}

interface ExampleDeps extends Omit<ShareDeps, 'brand'> {
  log: Log;
}

interface Kept extends Example {
  content: Buffer;
}

/** The time for which shared images are cached, because visitors may load the page any number of times. */
const freshMs = 15_000;
const mostExamples = 4;
const width = 768;

/** Serves images from memory at addresses of their own, because the share's address gives access to all its images. */
export function createExamples(deps: ExampleDeps, token: string): LandingExamples {
  let shown: readonly Kept[] = [];
  const list = keepReading({
    read: async () => (shown = await readShared(deps, token, shown)),
    none: shown,
    freshMs,
    nowMs: () => deps.clock.monotonicMs(),
    onError: (error) => deps.log.warn('landing.examples_not_read', { reason: String(error) }),
  });
  return { list, contentOf: async (path) => (await list()).find(({ url }) => url === path)?.content };
}

async function readShared(
  deps: ExampleDeps,
  token: string,
  before: readonly Kept[],
): Promise<readonly Kept[]> {
  const shared = await openShare(deps, token).catch((error: unknown) => {
    if (error instanceof AppError) return null; // the share was revoked, or has ended
    throw error;
  });
  if (!shared) return [];
  const { share, jobs } = shared;
  const found = jobs.slice(0, mostExamples).map(async ({ id: jobId, prompt, image }): Promise<Kept[]> => {
    if (!image) return [];
    const url = pathOf(image.key);
    const kept = before.find((one) => one.url === url);
    const stored = kept ? undefined : await openRendition(deps, { jobId, key: image.key }, width);
    const content = kept?.content ?? (stored && (await buffer(readStored(image.key, stored.body))));
    if (!content) return [];
    const alt = () => (share.withPrompts ? prompt : '');
    return [{ url, alt, width: image.width, height: image.height, content }];
  });
  return (await Promise.all(found)).flat();
}

/** Each image has its own address, so that browsers fetch it only once. */
function pathOf(key: string): string {
  return `/landing/${createHash('sha256').update(key).digest('hex').slice(0, 16)}.webp`;
}
