import type { LimitChanges } from '../../money/limits/limit.ts';

export const signUpModes = ['off', 'invited', 'open'] as const;

/** The settings of sign-up; absent where it is off. */
export interface SignUpSettings {
  /** Whether operators invite addresses or anyone may sign up. */
  mode: Exclude<(typeof signUpModes)[number], 'off'>;
  /** The documents that people must accept. */
  documents: LegalDocument[];
  /** Given once for each address. */
  freeCreditMicros: bigint;
  /** How many are given in all. */
  freeCreditsPerDay: number;
  /** Limits of new accounts. */
  limits: LimitChanges;
}

export interface LegalDocument {
  document: 'terms' | 'privacy';
  url: string;
  version: string;
}
