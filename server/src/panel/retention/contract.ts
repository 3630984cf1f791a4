import type { Part } from '../../retention/retention.ts';

/** For how long an account keeps what it has. */
export interface RetentionCalls {
  'GET /panel/accounts/:account_id/retention': { answer: Retention };
  /** Days; null: as the installation. What is left out stays. */
  'POST /panel/operator/accounts/:account_id/retention': { body: RetentionChanges; answer: Retention };
}

export interface Retention {
  data: RetentionRow[];
}

export interface RetentionRow {
  part: Part;
  /** What holds, counted from the end of a job; null: for good. */
  days: number | null;
  /** Set for the account, and not for the installation. */
  own: boolean;
  /** The fewest that may be set. */
  least: number;
}

export type RetentionChanges = { readonly [part in Part]?: number | null };
