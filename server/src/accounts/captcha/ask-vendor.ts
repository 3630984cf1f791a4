import { describeFailure, readText } from '../../base/std/outgoing/answers.ts';
import { userAgent } from '../../version.ts';
import type { VendorSettings } from './captcha-settings.ts';

export type Verdict =
  /** Null: hCaptcha does not say where, as happens when it is busy. */
  | { is: 'passed'; host: string | null }
  /** A token that is wrong, too old or was used before. */
  | { is: 'failed' }
  /** The vendor does not answer, or does not take our keys. */
  | { is: 'unknown'; why: string };

/** Both vendors answer with less than one kilobyte. */
const maxAnswerBytes = 16 * 1024;
/** Codes about our keys and the vendor itself; all others are about the token. */
const notOfTheToken =
  /^(missing-input-secret|invalid-input-secret|sitekey-secret-mismatch|not-using-dummy-passcode|(missing|invalid)-remoteip|internal-error)$/;

/**
 * Asks whether a check was passed, which uses the token up. The address of the client is not sent: the vendor has seen it.
 *
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ · https://docs.hcaptcha.com/#verify-the-user-response-server-side
 */
export async function askVendor(
  { kind, siteKey, secret, verifyUrl, timeoutMs }: VendorSettings,
  token: string,
): Promise<Verdict> {
  try {
    const answer = await fetch(verifyUrl, {
      method: 'POST',
      headers: { 'user-agent': userAgent },
      // Of Cloudflare a secret has one site key; of hCaptcha it is that of all that a customer has.
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
    // Turnstile documents no answer without a `hostname`, and a token that any page may have earned proves
    // nothing.
    if (!isSaid && kind === 'turnstile') return { is: 'unknown', why: 'its answer has no `hostname`' };
    return { is: 'passed', host: isSaid ? hostname : null };
  }
  if (success !== false) return { is: 'unknown', why: 'its answer has no `success`' };
  const trouble = (Array.isArray(codes) ? codes : []).find((code) => notOfTheToken.test(String(code)));
  return trouble === undefined ? { is: 'failed' } : { is: 'unknown', why: `it answers ${trouble}` };
}
