import type { AccountContract } from '../../api/table.ts';

type Change = AccountContract['PATCH /api/v1/retention'];

export type RetentionRow = Change['answer']['data'][number];
export type RetentionChanges = Change['body'];
