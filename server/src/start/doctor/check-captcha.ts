import { askVendor } from '../../accounts/captcha/ask-vendor.ts';
import { type CaptchaSettings, vendorNames } from '../../accounts/captcha/captcha-settings.ts';
import type { Finding } from './finding.ts';

const name = 'captcha';

/** Sends an invalid token to the vendor, to see whether the vendor accepts the secret. */
export async function checkCaptcha(settings: CaptchaSettings): Promise<Finding> {
  if (settings.kind === 'altcha') return { name, status: 'ok', found: 'Altcha, which needs no vendor' };
  const vendor = vendorNames[settings.kind];
  const verdict = await askVendor(settings, name);
  if (verdict.is !== 'unknown')
    return { name, status: 'ok', found: `${vendor} answers, and takes the secret` };
  const isOurs = verdict.why.includes('secret');
  return {
    ...{ name, status: 'fail', found: `${vendor}: ${verdict.why}` },
    next: isOurs
      ? 'correct DARKROOM_CAPTCHA_SECRET and DARKROOM_CAPTCHA_SITE_KEY; until then no one can sign up or set a new password'
      : `check that this machine may reach ${new URL(settings.verifyUrl).host}; until then no one can sign up or set a new password`,
  };
}
