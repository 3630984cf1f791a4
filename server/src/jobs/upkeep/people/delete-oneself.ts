import { listOwnedAlone, type OwnedAlone } from '../../../accounts/people/people-store.ts';
import { proveOneself } from '../../../accounts/sign-in/assert-oneself.ts';
import type { Viewer } from '../../../accounts/sign-in/sessions.ts';
import type { Actor } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import { AppError } from '../../../errors.ts';
import { beginErasure } from '../erase-account.ts';
import { assertNoOperator, erasePerson, lockAccountsOf } from './delete-person.ts';
import { leftReason } from './finish-erasures.ts';

/** Their name is about to go. */
const lastOwner: Actor = { personId: null, name: 'its last owner' };

/**
 * Deletes the person who says so, and begins to erase accounts in which there is nobody else and nothing: those are theirs alone.
 * Maintenance does the rest, for all that waits at once, so that nobody can make one process do it over and over.
 *
 * @throws AppError `sign_in_refused`; `invalid_request` for an operator, and for the last owner of an account with others or with money
 */
export async function deleteOneself(
  { database }: { database: Database },
  who: { viewer: Viewer; address: string },
  password: string | undefined,
): Promise<void> {
  const { viewer } = who;
  const { personId } = viewer;
  await proveOneself(database, who, password);
  await database.transaction(async (tx) => {
    await assertNoOperator(tx, personId);
    await lockAccountsOf(tx, personId);
    const alone = (await listOwnedAlone(tx, personId)).filter(({ isErased }) => !isErased);
    for (const account of alone) assertNobodysElse(account);
    for (const { id: accountId } of alone)
      await beginErasure(tx, { accountId, reason: leftReason }, lastOwner);
    await erasePerson(tx, personId, viewer);
  });
}

function assertNobodysElse({ name, others, hasMoney }: OwnedAlone): void {
  if (others > 0)
    throw new AppError(
      'invalid_request',
      `You are the only owner of "${name}", which has other members. Hand it over to one of them, or remove them, first.`,
    );
  if (hasMoney)
    throw new AppError(
      'invalid_request',
      `You are the only owner of "${name}", which has a balance or owes. Hand it over to somebody, or ask whoever runs this server to settle it, first.`,
    );
}
