import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import type { Captcha } from '../captcha/captcha.ts';
import { parseEmail } from '../people/email.ts';
import { findConfirmedPerson } from '../people/email-store.ts';
import type { Language } from '../people/language.ts';
import { sendIfFew, takeNetworkTry } from './email-limits.ts';
import type { SignUpSettings } from './sign-up-settings.ts';

export interface SignUpDeps {
  database: Database;
  clock: Clock;
  /** Null if sign-up is off. */
  signUp: SignUpSettings | null;
}

export interface AskedFor {
  email: string;
  captcha?: string;
  clientAddress: string;
  language?: Language | undefined;
}

/**
 * Gives the same answer for an email address that already has an account, but sends a different email.
 * @throws AppError `not_found`, `invalid_request`, `too_many_requests`, `captcha_refused`, `captcha_unavailable`
 */
export async function requestSignUp(
  { database, clock, signUp, captcha }: SignUpDeps & { captcha: Captcha | null },
  { email: text, captcha: token, clientAddress, language }: AskedFor,
): Promise<void> {
  if (signUp?.mode !== 'open') throw new AppError('not_found', 'Only operators create accounts here.');
  const email = parseEmail(text);
  // This is committed separately, so that requests that are refused later count too.
  await database.transaction((tx) => takeNetworkTry(tx, 'sign_up', clientAddress));
  await captcha?.assertPassed(token);
  await database.transaction(async (tx) => {
    const known = await findConfirmedPerson(tx, email);
    await sendIfFew(tx, 'sign_up', {
      id: newId(clock.nowMs()),
      kind: known ? 'sign_up_known' : 'sign_up',
      email,
      personId: known?.id ?? null,
      language: language ?? null,
    });
  });
}
