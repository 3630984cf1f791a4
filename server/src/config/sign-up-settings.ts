import { type SignUpSettings, signUpModes } from '../accounts/sign-up/sign-up-settings.ts';
import { SettingError } from '../errors.ts';
import { parseMicros } from '../money/ledger/money.ts';
import type { ConfigFile } from './config-file.ts';
import { inMeters } from './file-limits.ts';
import { readChoice } from './read-choice.ts';

/** Null: nobody signs up by themselves. @throws SettingError */
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
