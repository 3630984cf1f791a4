export const captchaKinds = ['turnstile', 'hcaptcha', 'altcha'] as const;
export type CaptchaKind = (typeof captchaKinds)[number];

/** The check that keeps programs from using forms that are open to anyone. */
export type CaptchaSettings = VendorSettings | { kind: 'altcha' };

/** Settings for a vendor that shows the check and reports whether it was passed. */
export interface VendorSettings {
  kind: Exclude<CaptchaKind, 'altcha'>;
  /** Public; pages need it to show the check. */
  siteKey: string;
  secret: string;
  /** The URL of the vendor's call that checks a token. */
  verifyUrl: string;
  /** The longest time that a form waits for the vendor. */
  timeoutMs: number;
}

export const vendorNames = { turnstile: 'Cloudflare Turnstile', hcaptcha: 'hCaptcha' } as const;
