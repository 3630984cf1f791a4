import Type, { type Static } from 'typebox';
import type { CountedAccount } from '../../../../accounts/account-store.ts';
import { nullable, time } from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import { presentBalance } from '../../../../money/ledger/present-balance.ts';
import { balanceSchema } from '../../balance-schema.ts';

export const accountSchema = Type.Object(
  {
    account_id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    ...balanceSchema.properties,
    created_at: time('When it was made.'),
    disabled_at: nullable(
      time('The time at which it was disabled, since when its keys are refused; null while it is enabled.'),
    ),
    disabled_reason: nullable(Type.String()),
    erased_at: nullable(
      time('The time at which its erasure began. It can never be enabled, credited or used again.'),
    ),
    price_group: nullable(Type.String(), {
      description: 'The price group; null for the prices of the models.',
    }),
    members: Type.Integer({ description: 'The number of its members.' }),
    keys: Type.Integer({ description: 'The number of its keys that are not disabled.' }),
  },
  { $id: 'Account' },
);
export type AccountJson = Static<typeof accountSchema>;

export function presentAccount(account: CountedAccount): AccountJson {
  return {
    account_id: account.id,
    name: account.name,
    ...presentBalance(account),
    created_at: toIso(account.createdAt),
    disabled_at: toIsoOrNull(account.disabledAt),
    disabled_reason: account.disabledReason,
    erased_at: toIsoOrNull(account.erasedAt),
    price_group: account.priceGroup,
    members: account.members,
    keys: account.keys,
  };
}

export const accountParams = Type.Object({
  account: Type.String({ description: 'The id or the name of the account.' }),
});
