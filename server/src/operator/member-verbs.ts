import { accountOf, livingAccountOf } from '../accounts/account-of.ts';
import { invite, renewInvitation, revokeInvitation } from '../accounts/people/invitations.ts';
import { listOpenInvitations } from '../accounts/people/link-store.ts';
import { changeMemberRole, removeMember, unknownMember } from '../accounts/people/member-changes.ts';
import { linkUrl, type MadeLink } from '../accounts/people/panel-link.ts';
import { presentInvitation, presentMember } from '../accounts/people/people-json.ts';
import { listMembers } from '../accounts/people/people-store.ts';
import type { MemberRole } from '../accounts/people/roles.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { toIso } from '../std/iso-time.ts';
import { deletePerson } from '../upkeep/delete-person.ts';

export interface MemberVerbDeps {
  database: Database;
  /** Where people open the panel. */
  publicUrl(): Promise<string>;
}

/** The people of an account. Operators are made on the machine and in the panel alone. */
export function memberVerbs(deps: MemberVerbDeps, by: Actor) {
  const { database, publicUrl } = deps;
  const idOf = async (account: string) => (await accountOf(database.read, account)).id;
  const idToChange = async (account: string) => (await livingAccountOf(database.read, account)).id;
  const present = async (link: MadeLink) => ({
    url: linkUrl(await publicUrl(), link),
    expires_at: toIso(link.expiresAt),
  });
  const list = async (accountId: string) => (await listMembers(database.read, accountId)).map(presentMember);
  return {
    listMembers: async (account: string) => list(await idOf(account)),
    async changeMemberRole(account: string, personId: string, { role }: { role: MemberRole }) {
      const accountId = await idToChange(account);
      await changeMemberRole(deps, { accountId, personId, role }, by);
      return list(accountId);
    },
    async removeMember(account: string, personId: string) {
      const accountId = await idToChange(account);
      if (!(await removeMember(deps, { accountId, personId }, by))) throw unknownMember();
    },
    /** Altogether, given by id or e-mail. */
    async deletePerson(person: string) {
      await deletePerson(deps, { person }, by);
    },
    async listInvitations(account: string) {
      return (await listOpenInvitations(database.read, await idOf(account))).map(presentInvitation);
    },
    /** A link with which somebody becomes a member. */
    async inviteMember(account: string, { role = 'owner', note }: { role?: MemberRole; note?: string } = {}) {
      const accountId = await idToChange(account);
      return present(await invite(deps, { accountId, role, ...(note && { note }) }, by));
    },
    /** A new link in the place of one that was lost or is about to expire. */
    async renewInvitation(account: string, invitationId: string) {
      const accountId = await idToChange(account);
      return present(await renewInvitation(deps, { accountId, invitationId }, by));
    },
    async revokeInvitation(account: string, invitationId: string) {
      await revokeInvitation(deps, { accountId: await idToChange(account), invitationId }, by);
    },
  };
}
