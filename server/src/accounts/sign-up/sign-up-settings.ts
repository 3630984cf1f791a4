import type { LimitChanges } from '../../money/limits/limit.ts';

export const signUpModes = ['off', 'invited', 'open'] as const;

/** How strangers become customers; where it is off, there are no such settings. */
export interface SignUpSettings {
  /** The mode: operators invite addresses, or anybody may begin. */
  mode: Exclude<(typeof signUpModes)[number], 'off'>;
  /** Documents that people accept; nobody is asked about one that is not named. */
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
