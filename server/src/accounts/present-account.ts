import { presentBalance } from '../ledger/present-balance.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';
import type { CountedAccount } from './account-store.ts';

/** An account, as operators see it. */
export function presentAccount(account: CountedAccount) {
  return {
    account_id: account.id,
    name: account.name,
    ...presentBalance(account),
    created_at: toIso(account.createdAt),
    disabled_at: toIsoOrNull(account.disabledAt),
    disabled_reason: account.disabledReason,
    erased_at: toIsoOrNull(account.erasedAt),
    members: account.members,
    keys: account.keys,
  };
}
