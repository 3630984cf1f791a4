import type { Database } from '../../base/db/database.ts';
import { AppError } from '../../errors.ts';
import { isPassword } from '../people/password.ts';
import { findPasswordHash, hasPassword } from '../people/people-store.ts';
import { isFresh, type Viewer } from './sessions.ts';
import { withinLimits } from './sign-in-limits.ts';

/**
 * Requires the password, if there is one, so that a stolen session is not enough to change how the person signs in.
 * @throws AppError `sign_in_refused` for a wrong or missing password, `too_many_requests`
 */
export async function assertOneself(
  database: Database,
  { viewer, address }: { viewer: Viewer; address: string },
  password: string | undefined,
): Promise<void> {
  const hash = await findPasswordHash(database.read, viewer.personId);
  if (hash === null) return;
  await withinLimits(
    database,
    { kind: 'password', address, who: viewer.personId, device: viewer.token },
    async () => {
      if (password !== undefined && (await isPassword(password, hash))) return;
      throw new AppError('sign_in_refused', 'The current password is not right.', {
        errors: [
          { pointer: '/current_password', detail: password === undefined ? 'is required.' : 'is not right.' },
        ],
      });
    },
  );
}

/** Requires the password, or else a recent sign-in. @throws AppError `sign_in_refused`, `too_many_requests` */
export async function proveOneself(
  database: Database,
  who: { viewer: Viewer; address: string },
  password: string | undefined,
): Promise<void> {
  if (await hasPassword(database.read, who.viewer.personId)) await assertOneself(database, who, password);
  else if (!isFresh(who.viewer))
    throw new AppError('sign_in_refused', 'Sign out and in again first: this session is not new.');
}
