import type { Account } from '../../../accounts/account-store.ts';

export function presentAccountRef({ id, name, disabledAt }: Pick<Account, 'id' | 'name' | 'disabledAt'>) {
  return { account_id: id, name, disabled: disabledAt !== null };
}
