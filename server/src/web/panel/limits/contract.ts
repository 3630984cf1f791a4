import type { AccountContract } from '../../api/table.ts';

export type Alerts = AccountContract['GET /api/v1/alerts']['answer'];

type Change = AccountContract['PATCH /api/v1/limits'];

export type Limits = Change['answer'];
export type LimitRow = Limits['data'][number];
export type LimitChanges = Change['body'];
