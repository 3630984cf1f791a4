import Type from 'typebox';
import { maxPasswordLength } from '../../../../accounts/people/password.ts';
import type { MemberRole } from '../../../../accounts/people/roles.ts';
import { closed } from '../../../../base/http/schemas.ts';
import type { Caller } from '../../account-call.ts';

export const currentPassword = Type.Optional(Type.String({ minLength: 1, maxLength: maxPasswordLength }));

export const ownPassword = closed({ current_password: currentPassword }, { title: 'OwnPassword' });

export const toMakeOwner =
  'An owner who makes someone else an owner must send `current_password`; for an owner without a password, a session of at most 15 minutes is enough.';

/**
 * Requires the caller's password before a person becomes an owner, because an open session must not be enough to give
 * the account away. Operators need no password.
 */
export async function proveForOwner(
  { prove, may }: Pick<Caller, 'prove' | 'may'>,
  { role, current_password: password }: { role: MemberRole; current_password?: string },
): Promise<void> {
  if (role === 'owner' && !may('operate')) await prove?.(password);
}
