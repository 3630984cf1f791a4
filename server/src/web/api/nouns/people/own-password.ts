import Type from 'typebox';
import { maxPasswordLength } from '../../../../accounts/people/password.ts';
import type { MemberRole } from '../../../../accounts/people/roles.ts';
import { closed } from '../../../../base/http/schemas.ts';
import type { Caller } from '../../account-call.ts';

export const currentPassword = Type.Optional(Type.String({ minLength: 1, maxLength: maxPasswordLength }));

/** The body of calls that require a signed-in person's password again. */
export const ownPassword = closed({ current_password: currentPassword }, { title: 'OwnPassword' });

/** The description of the field in calls that give a role. */
export const toMakeOwner =
  'An owner who makes someone else an owner must send `current_password`; for an owner without a password, a session of at most 15 minutes is enough.';

/**
 * Requires the password of an owner who makes somebody an owner, because an open session must not be enough to take
 * over an account. Operators need no password.
 */
export async function proveForOwner(
  { prove, may }: Pick<Caller, 'prove' | 'may'>,
  { role, current_password: password }: { role: MemberRole; current_password?: string },
): Promise<void> {
  if (role === 'owner' && !may('operate')) await prove?.(password);
}
