import type { ReadCall } from '../../api/queries.ts';

/** The reads to repeat after an account gets money. */
export const changedByCredit: ReadCall[] = [
  'GET /api/v1/balance',
  'GET /api/v1/entries',
  'GET /api/v1/statements',
];
