import type { Static } from 'typebox';
import type { balanceSchema } from '../../api/nouns/money/balance-calls.ts';
import type { entrySchema } from '../../api/nouns/money/entry-calls.ts';
import type { Activity } from '../../api/nouns/money/usage-table-call.ts';
import type { ActivityQuery } from '../../jobs/read-activity.ts';
import type { Statement } from '../../ledger/statement.ts';

/** What an account made and spent. */
export interface MoneyCalls {
  /**
   * Days are UTC and a job counts in the day, or hour, in which it was created. 30 days by default, 92 at most; by the hour
   * where they are three or fewer.
   */
  'GET /panel/accounts/:account_id/usage': { query: ActivityQuery; answer: Activity };
}

export type Balance = Static<typeof balanceSchema>;
export type EntryRow = Static<typeof entrySchema>;
export type { Activity, ActivityQuery, Statement };
