import { describeFailure, readText } from '../../base/std/outgoing/answers.ts';
import { userAgent } from '../../version.ts';
import type { VendorSettings } from './captcha-settings.ts';

export type Verdict =
  /** The host of the page; null if hCaptcha does not report it, as when it is busy. */
  | { is: 'passed'; host: string | null }
  /** The token is wrong, too old or was used before. */
  | { is: 'failed' }
  | { is: 'unknown'; why: string };

/** Both vendors answer with less than one kilobyte. */
const maxAnswerBytes = 16 * 1024;
/** Error codes about our keys and the vendor itself; all other codes are about the token. */
const notOfTheToken =
  /^(missing-input-secret|invalid-input-secret|sitekey-secret-mismatch|not-using-dummy-passcode|(missing|invalid)-remoteip|internal-error)$/;

/**
 * Asks the vendor whether a check was passed, which uses up the token. Does not send the client's IP address, which the
 * vendor has already seen. https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ ·
 * https://docs.hcaptcha.com/#verify-the-user-response-server-side
 */
export async function askVendor(
  { kind, siteKey, secret, verifyUrl, timeoutMs }: VendorSettings,
  token: string,
): Promise<Verdict> {
  try {
    const answer = await fetch(verifyUrl, {
      method: 'POST',
      headers: { 'user-agent': userAgent },
      // Only hCaptcha needs the site key, because there all site keys of a customer share one secret.
      body: new URLSearchParams({
        secret,
        response: token,
        ...(kind === 'hcaptcha' && { sitekey: siteKey }),
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return readVerdict(kind, JSON.parse(await readText(answer, maxAnswerBytes)));
  } catch (error) {
    return { is: 'unknown', why: describeFailure(error) };
  }
}

function readVerdict(kind: VendorSettings['kind'], json: unknown): Verdict {
  const { success, hostname, 'error-codes': codes } = Object(json) as Record<string, unknown>;
  if (success === true) {
    const isSaid = typeof hostname === 'string' && hostname !== '' && hostname !== 'not-provided';
    // Turnstile promises a `hostname` in every answer. A token from an unknown page proves nothing.
    if (!isSaid && kind === 'turnstile') return { is: 'unknown', why: 'its answer has no `hostname`' };
    return { is: 'passed', host: isSaid ? hostname : null };
  }
  if (success !== false) return { is: 'unknown', why: 'its answer has no `success`' };
  const trouble = (Array.isArray(codes) ? codes : []).find((code) => notOfTheToken.test(String(code)));
  return trouble === undefined ? { is: 'failed' } : { is: 'unknown', why: `it answers ${trouble}` };
}
