import type { ReadCall } from '../../api/queries.ts';

/** The reads that change once an account has more money. */
export const changedByCredit: ReadCall[] = [
  'GET /api/v1/balance',
  'GET /api/v1/entries',
  'GET /api/v1/statements',
];
