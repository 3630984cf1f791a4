import type { Guard } from '../../base/guard/guard.ts';
import { failure } from './failure.ts';
import { requireImage } from './pick-image.ts';
import { poll } from './poll.ts';
import { ProviderError } from './provider.ts';
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

  async function get(link: URL, signal: AbortSignal): Promise<Answer> {
    const call = { url: link.href, signal, maxBytes: maxImageBytes };
    if (link.origin === home) {
      const answer = await upstream.call(call);
      if (isBusy(answer)) throw upstream.refusal(answer);
      return answer;
    }
    const verdict = guard.checkUrl(link.href);
    if (!verdict.ok) throw failure('no_image', { detail: `the link to the result: ${verdict.detail}` });
    const answer = await outside.call(call).catch((error: unknown) => {
      throw ofOtherHost(error);
    });
    if (isBusy(answer)) throw outside.refusal(answer, provesNothing);
    return answer;
  }

  async function follow(link: string, signal: AbortSignal): Promise<Answer> {
    let url = URL.parse(link);
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      if (!url || !/^https?:$/.test(url.protocol))
        throw failure('no_image', { detail: 'the result is not an http(s) link' });
      const answer = await get(url, signal);
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
          throw upstream.refusal(answer, provesNothing);
        },
        intervalMs,
        signal,
      }),
    [Symbol.asyncDispose]: () => outside[Symbol.asyncDispose](),
  };
}

function isBusy({ status }: Answer): boolean {
  return status === 429 || status >= 500;
}

/** A failure that does not close the route, and after which few further images are made and paid for. */
const provesNothing = { kind: 'bad_response', proven: null } as const;

/** Another host that cannot be reached proves nothing about the upstream, which has made the image. */
function ofOtherHost(error: unknown): unknown {
  if (!(error instanceof ProviderError) || !(error.proven || error.kind === 'network')) return error;
  const { detail, sent, cause } = error;
  return failure(provesNothing.kind, { detail, sent, cause });
}
