import type { UrlProblem, Verdict } from '../../base/guard/check-url.ts';
import type { Guard } from '../../base/guard/guard.ts';
import { groupDigits } from '../../base/std/group-digits.ts';
import { AppError } from '../../errors.ts';

/** Checks the text of a URL. The addresses behind its name are checked at every connection. */
export type CheckTarget = (url: string) => Verdict;

/** The maximum length of a URL as the client sent it, in characters. Servers and proxies usually have this limit. */
export const maxTargetLength = 2_048;

const details: Partial<Record<UrlProblem, string>> = {
  name: 'The URL does not lead to a public internet address.',
  address: 'The URL does not lead to a public internet address.',
  port: "The URL's port is not used for HTTP.",
};

export function createTargetCheck(guard: Pick<Guard, 'checkUrl'>): CheckTarget {
  return (url) => {
    if (url.length > maxTargetLength) {
      return {
        ok: false,
        problem: 'malformed',
        detail: `The URL is longer than ${groupDigits(maxTargetLength)} characters.`,
      };
    }
    // The guard refuses schemes in capitals, but only inputs need that rule.
    const verdict = guard.checkUrl(url.replace(/^https?(?=:)/i, (scheme) => scheme.toLowerCase()));
    // The guard's own messages are about fetching files, so webhooks have messages of their own.
    return verdict.ok ? verdict : { ...verdict, detail: details[verdict.problem] ?? verdict.detail };
  };
}

export function assertTarget(checkTarget: CheckTarget, url: string): void {
  const verdict = checkTarget(url);
  if (!verdict.ok) throw new AppError('invalid_request', `The webhook URL cannot be used. ${verdict.detail}`);
}
