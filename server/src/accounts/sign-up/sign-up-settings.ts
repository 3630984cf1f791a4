import type { LimitChanges } from '../../money/limits/limit.ts';

export const signUpModes = ['off', 'invited', 'open'] as const;

export interface SignUpSettings {
  mode: Exclude<(typeof signUpModes)[number], 'off'>;
  documents: LegalDocument[];
  /** The amount that each email address gets once. */
  freeCreditMicros: bigint;
  /** The number of free credits per day, for all email addresses together. */
  freeCreditsPerDay: number;
  limits: LimitChanges;
}

export interface LegalDocument {
  document: 'terms' | 'privacy';
  url: string;
  version: string;
}
