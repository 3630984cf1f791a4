export const captchaKinds = ['turnstile', 'hcaptcha', 'altcha'] as const;
export type CaptchaKind = (typeof captchaKinds)[number];

/** The check that keeps programs from the forms of strangers. */
export type CaptchaSettings = VendorSettings | { kind: 'altcha' };

/** A vendor shows the check, and is asked whether it was passed. */
export interface VendorSettings {
  kind: Exclude<CaptchaKind, 'altcha'>;
  /** Public; pages show the check by it. */
  siteKey: string;
  secret: string;
  /** The vendor's call that checks a token. */
  verifyUrl: string;
  /** The longest that a form waits for it. */
  timeoutMs: number;
}

export const vendorNames = { turnstile: 'Cloudflare Turnstile', hcaptcha: 'hCaptcha' } as const;
