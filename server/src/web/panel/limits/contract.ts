import type { AccountContract } from '../../api/table.ts';

export type Alerts = AccountContract['GET /api/v1/alerts']['answer'];

type Change = AccountContract['PATCH /api/v1/limits'];

/** The limits that are set, and those that can be. */
export type Limits = Change['answer'];
export type LimitRow = Limits['data'][number];
/** The changes by `limit`. */
export type LimitChanges = Change['body'];
