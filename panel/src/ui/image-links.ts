/** Widths in pixels that the server makes; a narrower image keeps its width. */
export const widths = [256, 768, 1600] as const;
export const largestWidth = 1600;

/** The link to the same image as WebP, at most this wide. */
export function atWidth(link: string, width: number): string {
  return `${link}&w=${width}`;
}

/** The latest links, by the image that they show. */
const known = new Map<string, string>();
/** Far more links than a page shows. Beyond this number, the oldest are dropped. */
const maxKnown = 2_000;
/** A link must stay valid for at least this time, long enough to look at a page. */
const minLeftMs = 60 * 60 * 1000;

/** Returns an earlier link while it is valid, because the image would load again under the server's hourly new link. */
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

/** The Unix time at which the link expires, in milliseconds. */
function expiryOf(link: string): number {
  return Number(/[?&]expires=(\d+)/.exec(link)?.[1]) * 1000;
}
