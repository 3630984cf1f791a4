import { refusal } from '../sign-in/refusal.ts';
import type { Seals } from '../sign-in/seals.ts';

/** The time limit for the person to unlock the device. */
export const challengeMs = 5 * 60 * 1000;

/** The challenge to sign. The browser keeps it sealed, because anyone could flood a table by requesting challenges. */
export interface PasskeyChallenge {
  /** 128 random bits, base64url. */
  challenge: string;
  cookie: string;
}

/** `who` is empty if the passkey itself names the person. */
export function makePasskeyChallenge(seals: Seals, who: string, nowMs: number): PasskeyChallenge {
  const expiresAt = nowMs + challengeMs;
  const sealed = seals.make('passkey', sealedFor(who, expiresAt));
  return { challenge: sealed.split('.', 1)[0] ?? '', cookie: `${expiresAt}.${sealed}` };
}

/** @throws AppError `sign_in_refused` */
export function openPasskeyChallenge(
  seals: Seals,
  { cookie = '', who }: { cookie: string | undefined; who: string },
  nowMs: number,
): string {
  const [, expiresAt = '0', sealed] = /^(\d{1,15})\.([\w.-]{1,200})$/.exec(cookie) ?? [];
  const challenge = seals.open('passkey', sealed, sealedFor(who, Number(expiresAt)));
  if (challenge === null || Number(expiresAt) <= nowMs) throw refusal();
  return challenge;
}

function sealedFor(who: string, expiresAt: number): string {
  return `${who} ${expiresAt}`;
}
