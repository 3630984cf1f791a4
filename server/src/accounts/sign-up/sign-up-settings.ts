import type { LimitChanges } from '../../money/limits/limit.ts';

export const signUpModes = ['off', 'invited', 'open'] as const;

/** How strangers become customers; where it is off, there are no such settings. */
export interface SignUpSettings {
  /** Who begins: operators alone, by an invitation to an address, or anybody. */
  mode: Exclude<(typeof signUpModes)[number], 'off'>;
  /** What people accept; nothing is asked about a document that is not named. */
  documents: LegalDocument[];
  /** Given once for each address. */
  freeCreditMicros: bigint;
  /** How many are given in all. */
  freeCreditsPerDay: number;
  /** Of new accounts. */
  limits: LimitChanges;
}

export interface LegalDocument {
  document: 'terms' | 'privacy';
  url: string;
  version: string;
}
