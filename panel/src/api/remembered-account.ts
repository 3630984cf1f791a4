import type { Session } from '@darkroom/server/panel-contract';

/** The account that was opened last in this browser, or else in any of the person's browsers, or else the first. */
export function rememberedAccount({
  accounts,
  last_account_id,
}: Pick<Session, 'accounts' | 'last_account_id'>): Session['accounts'][number] | undefined {
  const last = localStorage.getItem(storageName);
  const find = (id: string | null) => accounts.find((account) => account.account_id === id);
  return find(last) ?? find(last_account_id) ?? accounts[0];
}

export function rememberAccount(accountId: string): void {
  localStorage.setItem(storageName, accountId);
}

const storageName = 'darkroom.account';
