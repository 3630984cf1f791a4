import { listOpenInvitations, type OpenInvitation } from '../../accounts/people/link-store.ts';
import { listMembers } from '../../accounts/people/people-store.ts';
import { presentAccount } from '../../accounts/present-account.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import { isUuid } from '../../std/ids.ts';
import { toIso } from '../../std/iso-time.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { presentPerson } from '../people/present-session.ts';
import type { InvitationRow, OperatorAccount, OperatorAccountDetail } from './contract.ts';
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
    people: people.map(({ role, ...person }) => ({ ...presentPerson(person), role })),
    invitations: invitations.map(presentInvitation),
  };
}

export function presentInvitation(invitation: OpenInvitation): InvitationRow {
  const { id, note, madeBy, createdAt, expiresAt } = invitation;
  return {
    invitation_id: id,
    note,
    made_by: madeBy,
    created_at: toIso(createdAt),
    expires_at: toIso(expiresAt),
  };
}

export function presentCounted(account: CountedAccount): OperatorAccount {
  return { ...presentAccount(account), members: account.members, keys: account.keys };
}
