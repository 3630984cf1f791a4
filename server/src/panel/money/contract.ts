import type { Static } from 'typebox';
import type { balanceSchema } from '../../api/nouns/money/balance-calls.ts';
import type { entrySchema } from '../../api/nouns/money/entry-calls.ts';
import type { ActivityQuery, readActivity } from '../../jobs/read-activity.ts';
import type { Statement } from '../../ledger/statement.ts';

/** The balance of an account, its entries and its usage. */
export interface MoneyCalls {
  /** Every entry, oldest first. */
  'GET /panel/accounts/:account_id/entries.csv': { answer: string };
  'GET /panel/accounts/:account_id/statements/:month/csv': { answer: string };
  /**
   * Days are UTC and a job counts in the day, or hour, in which it was created. 30 days by default, 92 at most; by the hour
   * where they are three or fewer.
   */
  'GET /panel/accounts/:account_id/usage': { query: ActivityQuery; answer: Activity };
  'GET /panel/accounts/:account_id/usage.csv': { query: ActivityQuery; answer: string };
}

export type Balance = Static<typeof balanceSchema>;
export type EntryRow = Static<typeof entrySchema>;
export type { ActivityQuery, Statement };
export type Activity = Awaited<ReturnType<typeof readActivity>>;
