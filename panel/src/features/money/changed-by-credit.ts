import type { ReadCall } from '../../api/queries.ts';

/** What reads otherwise once an account has more. */
export const changedByCredit: ReadCall[] = [
  'GET /api/v1/balance',
  'GET /api/v1/entries',
  'GET /api/v1/statements',
];
