import { putErased } from '../../../accounts/account-store.ts';
import { listMemberships } from '../../../accounts/people/own-data-store.ts';
import { findPerson, listOwnedAlone, type OwnedAlone } from '../../../accounts/people/people-store.ts';
import { proveOneself } from '../../../accounts/sign-in/assert-oneself.ts';
import type { Viewer } from '../../../accounts/sign-in/sessions.ts';
import type { Actor } from '../../../base/audit/audit-store.ts';
import { AppError } from '../../../errors.ts';
import { lockBalances } from '../../../money/ledger/ledger-store.ts';
import { type EraseDeps, eraseAccount } from '../erase-account.ts';
import { overwriteErased } from '../overwrite-erased.ts';
import { assertNoOperator, erasePerson } from './delete-person.ts';

/** Their name is about to go. */
const lastOwner: Actor = { personId: null, name: 'its last owner' };

/**
 * Deletes the person who says so, and erases accounts in which there is nobody else and nothing: those are theirs alone. What was cut
 * off is begun again by the same call.
 *
 * @throws AppError `sign_in_refused`; `invalid_request` for an operator, and for the last owner of an account with others or with money
 */
export async function deleteOneself(
  deps: EraseDeps,
  who: { viewer: Viewer; address: string },
  password: string | undefined,
): Promise<void> {
  const { database } = deps;
  const { viewer } = who;
  const { personId } = viewer;
  await proveOneself(database, who, password);
  const own = await database.transaction(async (tx) => {
    await assertNoOperator(tx, personId);
    const ids = (await listMemberships(tx, personId)).map(({ accountId }) => accountId);
    // Nobody joins, leaves or pays meanwhile.
    await lockBalances(tx, ids.toSorted());
    const alone = await listOwnedAlone(tx, personId);
    for (const account of alone) assertNobodysElse(account);
    for (const { id } of alone) await putErased(tx, id, 'It is being erased.');
    if (alone.length === 0) await erasePerson(tx, personId, viewer);
    return alone;
  });
  for (const { id, name } of own) await eraseAccount(deps, { account: id, name }, lastOwner);
  // The erasure of their last account took them along.
  if (await findPerson(database.read, personId))
    await database.transaction((tx) => erasePerson(tx, personId, viewer));
  await overwriteErased(database);
}

function assertNobodysElse({ name, others, isErased, hasMoney }: OwnedAlone): void {
  if (isErased) return;
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
