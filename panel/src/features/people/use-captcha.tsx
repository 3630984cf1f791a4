import { type ReactNode, useCallback, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { solveAltcha } from './solve-altcha.ts';
import { VendorCaptcha } from './vendor-captcha.tsx';

/** The check that keeps programs from a form that sends emails. */
export function useCaptcha(): {
  /** The element for the form. */
  element: ReactNode;
  /** Says why the form cannot be sent yet. */
  why: string | undefined;
  /** Returns the fields that the form sends with it; they count once. */
  prove(): Promise<{ captcha?: string }>;
  /** Begins again, once the form was sent. */
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
  // While it loads, nobody has had time to fill in the form; if it cannot load, the server reports what is
  // missing.
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
