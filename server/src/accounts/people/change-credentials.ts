import type { Database } from '../../db/database.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../std/clock.ts';
import { newId } from '../../std/ids.ts';
import { insertAuditEntry } from '../audit-store.ts';
import { emailTaken, parseEmail } from './email.ts';
import { hashNewPassword, isPassword } from './password.ts';
import {
  endSessions,
  findPasswordHash,
  findPerson,
  findPersonByEmail,
  putPassword,
  updatePerson,
} from './people-store.ts';
import type { Viewer } from './sessions.ts';
import { withinLimits } from './sign-in-limits.ts';

export interface NewCredentials {
  name?: string;
  email?: string;
  password?: string;
  current_password?: string;
}

/**
 * Changes what a person signs in with, and ends their other sessions when it was the password.
 *
 * @throws AppError `sign_in_refused` without the current password where one is needed; `invalid_request`
 */
export async function changeCredentials(
  { database, clock }: { database: Database; clock: Clock },
  { viewer, address }: { viewer: Viewer; address: string },
  { name, email: emailText, password, current_password: current }: NewCredentials,
): Promise<void> {
  const email = emailText === undefined ? undefined : parseEmail(emailText);
  if (email !== undefined || password !== undefined)
    await assertMayChange(database, viewer, address, current);
  const person = await findPerson(database.read, viewer.personId);
  const passwordHash =
    password === undefined
      ? undefined
      : await hashNewPassword(password, { name: name ?? viewer.name, email: email ?? person?.email ?? null });
  await database.transaction(async (tx) => {
    if (email !== undefined) {
      const owner = await findPersonByEmail(tx, email);
      if (owner && owner.id !== viewer.personId) throw emailTaken();
    }
    const trimmed = name?.trim();
    await updatePerson(tx, viewer.personId, {
      ...(trimmed && { name: trimmed }),
      ...(email !== undefined && { email }),
    });
    if (passwordHash !== undefined) {
      await putPassword(tx, { id: newId(clock.nowMs()), personId: viewer.personId, passwordHash });
      await endSessions(tx, viewer.personId, { except: viewer.token });
    }
    const detail = { email: email !== undefined, password: password !== undefined, name: Boolean(trimmed) };
    await insertAuditEntry(tx, viewer, {
      action: 'person.changed',
      accountId: null,
      subject: viewer.personId,
      detail,
    });
  });
}

/** A session that somebody left open must not be enough to take the person over. */
async function assertMayChange(
  database: Database,
  viewer: Viewer,
  address: string,
  current: string | undefined,
): Promise<void> {
  const hash = await findPasswordHash(database.read, viewer.personId);
  if (hash === null || viewer.mayResetPassword) return;
  await withinLimits(
    database,
    { kind: 'password', address, who: viewer.personId, device: viewer.token },
    async () => {
      if (current !== undefined && (await isPassword(current, hash))) return;
      throw new AppError('sign_in_refused', 'The current password is not right.', {
        errors: [
          { pointer: '/current_password', detail: current === undefined ? 'is required.' : 'is not right.' },
        ],
      });
    },
  );
}
