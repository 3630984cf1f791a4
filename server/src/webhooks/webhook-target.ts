import { AppError } from '../errors.ts';
import { bareHost, type UrlProblem, type Verdict } from '../guard/check-url.ts';
import type { Guard } from '../guard/guard.ts';

/** Judges the text of a URL that is to be called; the addresses behind a name are checked at every connection. */
export type CheckTarget = (url: string) => Verdict;

/** Characters, as the client sent them. The usual limit of servers and proxies. */
export const maxTargetLength = 2_048;

const details: Partial<Record<UrlProblem, string>> = {
  name: 'The URL does not lead to a public internet address.',
  address: 'The URL does not lead to a public internet address.',
  port: 'The port of the URL is not one for http.',
};

/** `ownUrl`: where clients reach us, which may be a public address that leads back here. */
export function createTargetCheck(guard: Pick<Guard, 'checkUrl'>, ownUrl: () => string | null): CheckTarget {
  return (url) => {
    if (url.length > maxTargetLength) {
      return {
        ok: false,
        problem: 'malformed',
        detail: `The URL is longer than ${maxTargetLength.toLocaleString('en')} characters.`,
      };
    }
    // A scheme in capitals is refused for inputs only.
    const verdict = guard.checkUrl(url.replace(/^https?(?=:)/i, (scheme) => scheme.toLowerCase()));
    // The guard's sentences speak of files to be fetched.
    if (!verdict.ok) return { ...verdict, detail: details[verdict.problem] ?? verdict.detail };
    const own = ownUrl();
    if (own === null || !isSamePlace(verdict.url, new URL(own))) return verdict;
    return { ok: false, problem: 'address', detail: 'The URL leads back to this service itself.' };
  };
}

/** @throws AppError `invalid_request` */
export function assertTarget(checkTarget: CheckTarget, url: string): void {
  const verdict = checkTarget(url);
  if (!verdict.ok) throw new AppError('invalid_request', `The webhook URL cannot be used. ${verdict.detail}`);
}

function isSamePlace(one: URL, other: URL): boolean {
  return bareHost(one.hostname) === bareHost(other.hostname) && one.port === other.port;
}
