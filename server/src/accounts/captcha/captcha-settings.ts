export const captchaKinds = ['turnstile', 'hcaptcha', 'altcha'] as const;
export type CaptchaKind = (typeof captchaKinds)[number];

/** The settings of the check that keeps programs from using forms that are open to everyone. */
export type CaptchaSettings = VendorSettings | { kind: 'altcha' };

export interface VendorSettings {
  kind: Exclude<CaptchaKind, 'altcha'>;
  /** Public; pages need it to show the check. */
  siteKey: string;
  secret: string;
  verifyUrl: string;
  timeoutMs: number;
}

export const vendorNames = { turnstile: 'Cloudflare Turnstile', hcaptcha: 'hCaptcha' } as const;
