import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { AppError } from '../../errors.ts';
import { type Challenge, createAltcha } from './altcha.ts';
import { askVendor } from './ask-vendor.ts';
import {
  type CaptchaKind,
  type CaptchaSettings,
  type VendorSettings,
  vendorNames,
} from './captcha-settings.ts';

export interface Captcha {
  kind: CaptchaKind;
  siteKey: string | null;
  /** Creates the browser's puzzle; null if a vendor creates it. */
  challenge: (() => Promise<Challenge>) | null;
  /** Uses up a token. @throws AppError `captcha_refused`, `captcha_unavailable` */
  assertPassed(token: string | undefined): Promise<void>;
}

interface CaptchaDeps {
  database: Database;
  clock: Clock;
  secrets: readonly string[];
  publicUrl(): string;
}

export function createCaptcha(settings: CaptchaSettings, deps: CaptchaDeps): Captcha {
  return settings.kind === 'altcha' ? byWork(deps) : byVendor(settings, deps);
}

function byWork(deps: CaptchaDeps): Captcha {
  const { challenge, take } = createAltcha(deps);
  return {
    ...{ kind: 'altcha', siteKey: null, challenge },
    async assertPassed(token = '') {
      if (!(await take(token))) throw refused();
    },
  };
}

// The maximum number of requests that may wait for a hanging vendor.
const mostAtOnce = 50;

function byVendor(settings: VendorSettings, { publicUrl }: CaptchaDeps): Captcha {
  const { kind, siteKey } = settings;
  let asking = 0;
  const ask = async (token: string): ReturnType<typeof askVendor> => {
    if (asking >= mostAtOnce) return { is: 'unknown', why: `${asking} requests are already waiting for it` };
    asking += 1;
    try {
      return await askVendor(settings, token);
    } finally {
      asking -= 1;
    }
  };
  return {
    ...{ kind, siteKey, challenge: null },
    async assertPassed(token = '') {
      if (token === '') throw refused();
      const verdict = await ask(token);
      if (verdict.is === 'unknown') throw unavailable(vendorNames[kind], verdict.why);
      const { hostname } = new URL(publicUrl());
      if (verdict.is === 'failed' || (verdict.host ?? hostname) !== hostname) throw refused();
    },
  };
}

function refused(): AppError {
  return new AppError(
    'captcha_refused',
    'The check that you are human was not passed, or it was too long ago. Do it again, then send the form.',
  );
}

function unavailable(vendor: string, why: string): AppError {
  const message = `${vendor}, which keeps programs from sending this form, does not answer. Nothing was sent. Try again in a few minutes.`;
  return new AppError('captcha_unavailable', message, {}, { cause: new Error(why) });
}
