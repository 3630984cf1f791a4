/** Widths in pixels that the server makes; a narrower image keeps its width. */
export const widths = [256, 768, 1600] as const;
export const largestWidth = 1600;

/** The link to the same image as WebP, at most this wide. */
export function atWidth(link: string, width: number): string {
  return `${link}&w=${width}`;
}

/** The latest links, by the image that they show. */
const known = new Map<string, string>();
/** The maximum number of known links, far more than a page shows. Then the oldest links are dropped. */
const maxKnown = 2_000;
/** The least time for which a link must remain valid, long enough to look at a page. */
const minLeftMs = 60 * 60 * 1000;

/**
 * Returns the earlier link to the same image while it is valid. The server signs a new link every hour, with which the
 * browser would load the image again.
 */
export function steadyLink(link: string, nowMs: number = Date.now()): string {
  const [path = link] = link.split('?');
  const before = known.get(path);
  if (before !== undefined && expiryOf(before) - nowMs > minLeftMs) return before;
  known.delete(path);
  known.set(path, link);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  return link;
}

/** Milliseconds of the link's expiry. */
function expiryOf(link: string): number {
  return Number(/[?&]expires=(\d+)/.exec(link)?.[1]) * 1000;
}
