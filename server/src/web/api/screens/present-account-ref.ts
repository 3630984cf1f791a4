import type { Account } from '../../../accounts/account-store.ts';

/** Presents the fields of an account that menus show. */
export function presentAccountRef({ id, name, disabledAt }: Pick<Account, 'id' | 'name' | 'disabledAt'>) {
  return { account_id: id, name, disabled: disabledAt !== null };
}
