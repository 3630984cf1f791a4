import { toIso } from '../../std/iso-time.ts';
import type { OpenInvitation } from './link-store.ts';
import type { Person } from './people-store.ts';
import type { MemberRole, OperatorRole } from './roles.ts';

export function presentPerson({ id, name, email, emailConfirmed, createdAt }: Person) {
  return { person_id: id, name, email, email_confirmed: emailConfirmed, created_at: createdAt };
}

/** Of an account, or of those who operate the installation. */
export function presentMember<Role extends MemberRole | OperatorRole>({
  role,
  ...person
}: Person & { role: Role }) {
  return { ...presentPerson(person), role };
}

export function presentInvitation({ id, note, madeBy, createdAt, expiresAt }: OpenInvitation) {
  return {
    invitation_id: id,
    note,
    made_by: madeBy,
    created_at: toIso(createdAt),
    expires_at: toIso(expiresAt),
  };
}
