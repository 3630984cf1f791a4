/** Widths in pixels that the server makes; a narrower image keeps its width. */
export const widths = [256, 768, 1600] as const;
export const largestWidth = 1600;

/** The same image as WebP, at most so wide. */
export function atWidth(link: string, width: number): string {
  return `${link}&w=${width}`;
}

/** Known links by their target. */
const known = new Map<string, string>();
/** Far more than a page shows; beyond it the oldest are forgotten. */
const maxKnown = 2_000;
/** Long enough to look at a page. */
const minLeftMs = 60 * 60 * 1000;

/**
 * Returns the earlier link for the same image, while it is valid: the server signs a new one every hour, which the
 * browser would load again.
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
