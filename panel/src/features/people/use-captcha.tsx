import { type ReactNode, useCallback, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { solveAltcha } from './solve-altcha.ts';
import { VendorCaptcha } from './vendor-captcha.tsx';

/** The captcha that keeps programs from sending emails through a form. */
export function useCaptcha(): {
  element: ReactNode;
  /** Says why the form cannot be sent yet. */
  why: string | undefined;
  /** Returns the fields that prove the captcha was solved. Each proof is valid once. */
  prove(): Promise<{ captcha?: string }>;
  /** Call this after the form has been sent. */
  reset(): void;
} {
  const options = useRead('GET /panel/sign-in', {});
  const captcha = options.data?.captcha;
  const [token, setToken] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const reset = useCallback(() => {
    setToken(null);
    setRound((before) => before + 1);
  }, []);
  const none = { element: null, why: undefined, reset };
  // The options usually load before the person has filled in the form. If loading fails, the form is sent without a
  // captcha, and the server reports that it is missing.
  if (!captcha) return { ...none, prove: async () => ({}) };
  const { kind, site_key: siteKey } = captcha;
  if (kind === 'altcha' || siteKey === null)
    return {
      ...none,
      prove: async () => ({ captcha: await solveAltcha(await send('POST /panel/sign-in/captcha', {})) }),
    };
  return {
    element: <VendorCaptcha key={round} kind={kind} siteKey={siteKey} onToken={setToken} />,
    why: token === null ? t('Complete the check that you are human first.') : undefined,
    prove: async () => ({ captcha: token ?? '' }),
    reset,
  };
}
