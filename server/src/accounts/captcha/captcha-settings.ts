export const captchaKinds = ['turnstile', 'hcaptcha', 'altcha'] as const;
export type CaptchaKind = (typeof captchaKinds)[number];

/** Keeps programs from using forms that are open to anyone. */
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
