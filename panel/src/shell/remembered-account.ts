import type { AccountRef } from '@darkroom/server/panel-contract';

/** The account last opened in this browser, if this person may still open it; otherwise their first. */
export function rememberedAccount(accounts: AccountRef[]): AccountRef | undefined {
  const last = localStorage.getItem(storageName);
  return accounts.find((account) => account.account_id === last) ?? accounts[0];
}

export function rememberAccount(accountId: string): void {
  localStorage.setItem(storageName, accountId);
}

const storageName = 'darkroom.account';
