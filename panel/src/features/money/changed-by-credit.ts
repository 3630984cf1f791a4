import type { ReadCall } from '../../api/queries.ts';

export const changedByCredit: ReadCall[] = [
  'GET /api/v1/balance',
  'GET /api/v1/entries',
  'GET /api/v1/statements',
];
