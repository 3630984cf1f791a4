import type { Static } from 'typebox';
import type { Statement } from '../../../money/ledger/statement.ts';
import type { balanceSchema } from '../../api/balance-schema.ts';
import type { entrySchema } from '../../api/nouns/money/entry-calls.ts';
import type { usageSchema } from '../../api/nouns/money/usage-calls.ts';
import type { topUpSchema } from '../../api/nouns/payments/top-up-json.ts';

export type Balance = Static<typeof balanceSchema>;
export type EntryRow = Static<typeof entrySchema>;
export type Usage = Static<typeof usageSchema>;
export type { Statement };
export type TopUp = Static<typeof topUpSchema>;
