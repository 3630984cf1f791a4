import { type CaptchaSettings, captchaKinds, vendorNames } from '../accounts/captcha/captcha-settings.ts';
import { type SignUpSettings, signUpModes } from '../accounts/sign-up/sign-up-settings.ts';
import { isThisMachine } from '../base/http/host-names.ts';
import { SettingError } from '../errors.ts';
import { parseMicros } from '../money/ledger/money.ts';
import type { ConfigFile } from './config-file.ts';
import { inMeters } from './file-limits.ts';
import { readChoice } from './read-choice.ts';

/** Null if sign-up is off. @throws SettingError */
export function readSignUp(
  env: Record<string, string | undefined>,
  { signUp: { terms, privacy, freeCredit = '0', freeCreditsPerDay = 100, limits } = {} }: ConfigFile,
): SignUpSettings | null {
  const { SMTP_URL: mail, DARKROOM_PUBLIC_URL: publicUrl } = env;
  const mode = readChoice(env, 'DARKROOM_SIGN_UP', signUpModes);
  if (mode === 'off') return null;
  if (!mail)
    throw new SettingError(
      `DARKROOM_SIGN_UP is "${mode}", and addresses are confirmed by email: set SMTP_URL and DARKROOM_MAIL_FROM as well.`,
    );
  if (!publicUrl)
    throw new SettingError(
      `DARKROOM_SIGN_UP is "${mode}", and emails lead to the server: set DARKROOM_PUBLIC_URL to the address that people use.`,
    );
  return {
    mode,
    documents: [
      ...(terms ? [{ document: 'terms' as const, ...terms }] : []),
      ...(privacy ? [{ document: 'privacy' as const, ...privacy }] : []),
    ],
    freeCreditMicros: parseMicros(freeCredit) ?? 0n, // the schema has checked it
    freeCreditsPerDay,
    limits: inMeters(limits),
  };
}

const verifyUrls = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
};

/** Null if no captcha protects the forms from programs. @throws SettingError */
export function readCaptcha(env: Record<string, string | undefined>): CaptchaSettings | null {
  const {
    DARKROOM_CAPTCHA_SITE_KEY: siteKey,
    DARKROOM_CAPTCHA_SECRET: secret,
    DARKROOM_PUBLIC_URL: publicUrl,
  } = env;
  const kind = readChoice(env, 'DARKROOM_CAPTCHA', ['off', ...captchaKinds]);
  if (kind === 'off') return null;
  if (kind === 'altcha') {
    if (siteKey || secret)
      throw new SettingError(
        'DARKROOM_CAPTCHA is "altcha", which needs no vendor: leave out DARKROOM_CAPTCHA_SITE_KEY and DARKROOM_CAPTCHA_SECRET.',
      );
    if (publicUrl && !computesIn(publicUrl))
      throw new SettingError(
        'DARKROOM_CAPTCHA is "altcha", and browsers compute it over https alone: set DARKROOM_PUBLIC_URL to an address with https.',
      );
    return { kind };
  }
  if (!siteKey || !secret)
    throw new SettingError(
      `DARKROOM_CAPTCHA is "${kind}": also set DARKROOM_CAPTCHA_SITE_KEY and DARKROOM_CAPTCHA_SECRET, which you get from ${vendorNames[kind]}.`,
    );
  return { kind, siteKey, secret, verifyUrl: verifyUrls[kind], timeoutMs: 5_000 };
}

function computesIn(publicUrl: string): boolean {
  const { protocol, host } = URL.parse(publicUrl) ?? {};
  return protocol === 'https:' || isThisMachine(host);
}
