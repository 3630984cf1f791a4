import Type, { type Static } from 'typebox';
import { invitedRole, type OpenInvitation } from '../../../../accounts/people/link-store.ts';
import { linkUrl, type MadeLink } from '../../../../accounts/people/panel-link.ts';
import type { Person } from '../../../../accounts/people/people-store.ts';
import { type MemberRole, memberRoles, type OperatorRole } from '../../../../accounts/people/roles.ts';
import { nullable, oneOf, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';

const personSchema = Type.Object({
  person_id: Type.String(),
  name: Type.String(),
  email: nullable(Type.String()),
  email_confirmed: Type.Boolean(),
  created_at: time('When the person was created.'),
});

export const memberRole = oneOf(memberRoles, { title: 'MemberRole' });

export const memberSchema = Type.Object(
  { ...personSchema.properties, role: memberRole },
  { title: 'Member' },
);

export const invitationSchema = Type.Object(
  {
    invitation_id: Type.String(),
    role: memberRole,
    note: nullable(Type.String()),
    made_by: nullable(Type.String(), {
      description: 'An operator or owner; null for the command line and keys.',
    }),
    created_at: time('When it was made.'),
    expires_at: time('When it expires.'),
  },
  { title: 'Invitation' },
);

export const madeLinkSchema = Type.Object(
  {
    url: Type.String({ description: 'Opens the panel once; shown this once.' }),
    expires_at: time('When it expires.'),
  },
  { title: 'InvitationMade' },
);

export type PersonJson = Static<typeof personSchema>;

export function presentPerson({ id, name, email, emailConfirmed, createdAt }: Person): PersonJson {
  return { person_id: id, name, email, email_confirmed: emailConfirmed, created_at: createdAt };
}

export function presentMember<Role extends MemberRole | OperatorRole>({
  role,
  ...person
}: Person & { role: Role }): PersonJson & { role: Role } {
  return { ...presentPerson(person), role };
}

export function presentInvitation<Role extends MemberRole | OperatorRole>(
  roles: readonly [Role, ...Role[]],
  { id, role, note, madeBy, createdAt, expiresAt }: OpenInvitation,
) {
  return {
    invitation_id: id,
    role: invitedRole(roles, role),
    note,
    made_by: madeBy,
    created_at: toIso(createdAt),
    expires_at: toIso(expiresAt),
  };
}

export function presentLink(publicUrl: string, link: MadeLink): Static<typeof madeLinkSchema> {
  return { url: linkUrl(publicUrl, link), expires_at: toIso(link.expiresAt) };
}
