import { failure } from './failure.ts';
import { poll } from './poll.ts';
import { requireImage } from './sniff-image.ts';
import type { Answer, Upstream } from './upstream.ts';

/** Twice the largest 4K PNG seen. */
const maxImageBytes = 64 * 1024 * 1024;
/** Result links may go through a CDN's redirect or two. */
const maxRedirects = 3;

/** Gets a result by the link an upstream gave: without credentials, whichever host it names, bounded, and again if busy. */
export function downloadImage(
  upstream: Upstream,
  link: string,
  { intervalMs, signal }: { intervalMs: number; signal: AbortSignal },
): Promise<Uint8Array> {
  return poll({
    ask: () => follow(upstream, link, signal),
    read(answer) {
      if (answer.ok) return requireImage(answer.bytes);
      // A link that is refused says nothing of our credentials: it has expired or was never right.
      throw upstream.refusal(answer, { kind: 'bad_response' });
    },
    intervalMs,
    signal,
  });
}

async function follow(upstream: Upstream, link: string, signal: AbortSignal): Promise<Answer> {
  let url = link;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    if (!/^https?:\/\//i.test(url))
      throw failure('no_image', { detail: 'the result is not an http(s) link' });
    const answer = await upstream.call({ url, signal, maxBytes: maxImageBytes });
    if (answer.status === 429 || answer.status >= 500) throw upstream.refusal(answer);
    const next = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || !next) return answer;
    url = new URL(next, url).href;
  }
  throw failure('no_image', { detail: `more than ${maxRedirects} redirects on the way to the result` });
}
