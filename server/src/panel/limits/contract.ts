import type { AccountContract } from '../../api/table.ts';
import type { SheetRow } from '../../limits/limit-sheet.ts';
import type { LimitsJson } from '../../limits/read-limit-changes.ts';

/** What accounts and keys may spend and have open, and how fast they may ask. */
export interface LimitCalls {
  'GET /panel/accounts/:account_id/limits': { answer: Limits };
  'GET /panel/accounts/:account_id/keys/:key_id/limits': { answer: Limits };
  'POST /panel/operator/accounts/:account_id/limits': { body: { limits: LimitChanges }; answer: Limits };
}

export type Alerts = AccountContract['GET /api/v1/alerts']['answer'];

export interface Limits {
  data: LimitRow[];
}

/** One that there may be, whether it is set or not. */
export type LimitRow = SheetRow;

/** By `limit`. */
export type LimitChanges = LimitsJson;
