import type { Guard } from '../../base/guard/guard.ts';
import { failure } from './failure.ts';
import { requireImage } from './pick-image.ts';
import { poll } from './poll.ts';
import { type Answer, connectTimeoutMs, createUpstream, type Reach, type Upstream } from './upstream.ts';

/** Twice the size of the largest 4K PNG seen so far. */
const maxImageBytes = 64 * 1024 * 1024;
/** Result links may redirect through a CDN. */
const maxRedirects = 3;

export interface Downloads extends AsyncDisposable {
  /** Fetches an image without credentials, up to a maximum size. Retries if the server is busy. */
  image(link: string, options: { intervalMs: number; signal: AbortSignal }): Promise<Uint8Array>;
}

interface DownloadOptions {
  /** The operator's address of the upstream, whose results may be fetched even if it is private. */
  baseUrl: string;
  /** Checks all other hosts in links and redirects, which an attacker in control of the upstream may have chosen. */
  guard: Guard;
}

function toAnywhere(guard: Guard): Reach {
  return {
    openAgent: () => guard.agent({ headersTimeout: 0, bodyTimeout: 0, connectTimeoutMs }),
    refuse(error) {
      const kind = error.reason === 'blocked' ? 'no_image' : 'network';
      return failure(kind, { detail: `the link to the result: ${error.message}`, cause: error });
    },
  };
}

export function createDownloads(upstream: Upstream, { baseUrl, guard }: DownloadOptions): Downloads {
  const home = new URL(baseUrl).origin;
  const outside = createUpstream(guard, [], toAnywhere(guard));

  function get(link: URL, signal: AbortSignal): Promise<Answer> {
    const call = { url: link.href, signal, maxBytes: maxImageBytes };
    if (link.origin === home) return upstream.call(call);
    const verdict = guard.checkUrl(link.href);
    if (!verdict.ok) throw failure('no_image', { detail: `the link to the result: ${verdict.detail}` });
    return outside.call(call);
  }

  async function follow(link: string, signal: AbortSignal): Promise<Answer> {
    let url = URL.parse(link);
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      if (!url || !/^https?:$/.test(url.protocol))
        throw failure('no_image', { detail: 'the result is not an http(s) link' });
      const answer = await get(url, signal);
      if (answer.status === 429 || answer.status >= 500) throw upstream.refusal(answer);
      const next = answer.headers.get('location');
      if (answer.status < 300 || answer.status >= 400 || !next) return answer;
      url = URL.parse(next, url.href);
    }
    throw failure('no_image', { detail: `more than ${maxRedirects} redirects on the way to the result` });
  }

  return {
    image: (link, { intervalMs, signal }) =>
      poll({
        ask: () => follow(link, signal),
        read(answer) {
          if (answer.ok) return requireImage(answer.bytes);
          // A refused link has expired or was never valid, but does not mean refused credentials.
          throw upstream.refusal(answer, { kind: 'bad_response', proven: null });
        },
        intervalMs,
        signal,
      }),
    [Symbol.asyncDispose]: () => outside[Symbol.asyncDispose](),
  };
}
