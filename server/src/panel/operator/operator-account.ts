import { listOpenInvitations } from '../../accounts/people/link-store.ts';
import { presentInvitation, presentMember } from '../../accounts/people/people-json.ts';
import { listMembers } from '../../accounts/people/people-store.ts';
import { presentAccount } from '../../accounts/present-account.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { isUuid } from '../../std/ids.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { OperatorAccount, OperatorAccountDetail } from './contract.ts';
import { type CountedAccount, listCountedAccounts } from './operator-account-store.ts';

export async function readAccountRow(database: Database, accountId: string): Promise<CountedAccount> {
  const [account] = isUuid(accountId)
    ? await listCountedAccounts(database.read, { id: accountId, limit: 1 })
    : [];
  if (!account) throw new AppError('not_found', 'There is no such account.');
  return account;
}

export async function readAccount(database: Database, accountId: string): Promise<OperatorAccount> {
  return presentCounted(await readAccountRow(database, accountId));
}

export async function readAccountDetail(
  { database }: Pick<PanelDeps, 'database'>,
  accountId: string,
): Promise<OperatorAccountDetail> {
  const account = await readAccountRow(database, accountId);
  const people = await listMembers(database.read, account.id);
  const invitations = await listOpenInvitations(database.read, account.id);
  return {
    ...presentCounted(account),
    people: people.map(presentMember),
    invitations: invitations.map(presentInvitation),
  };
}

export function presentCounted(account: CountedAccount): OperatorAccount {
  return { ...presentAccount(account), members: account.members, keys: account.keys };
}
