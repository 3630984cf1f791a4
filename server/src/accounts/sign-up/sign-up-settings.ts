import type { LimitChanges } from '../../money/limits/limit.ts';

export const signUpModes = ['off', 'invited', 'open'] as const;

/** The sign-up settings; absent if sign-up is off. */
export interface SignUpSettings {
  /** Whether only invited addresses or anyone may sign up. */
  mode: Exclude<(typeof signUpModes)[number], 'off'>;
  /** The documents that people must accept. */
  documents: LegalDocument[];
  /** The amount given once to each address. */
  freeCreditMicros: bigint;
  /** The number of free credits per day, for all addresses together. */
  freeCreditsPerDay: number;
  /** The limits of new accounts. */
  limits: LimitChanges;
}

export interface LegalDocument {
  document: 'terms' | 'privacy';
  url: string;
  version: string;
}
