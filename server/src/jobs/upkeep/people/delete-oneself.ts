import { takeDebit } from '../../../accounts/debit-account.ts';
import { countOpenPayments } from '../../../accounts/payments/payment-store.ts';
import { listOwnedAlone, type OwnedAlone } from '../../../accounts/people/people-store.ts';
import { proveOneself } from '../../../accounts/sign-in/assert-oneself.ts';
import type { Viewer } from '../../../accounts/sign-in/sessions.ts';
import { actorOf } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import { readNow } from '../../../base/db/rows.ts';
import type { Tx } from '../../../base/db/schema.ts';
import { AppError } from '../../../errors.ts';
import type { LockedAccount } from '../../../money/ledger/ledger-store.ts';
import { formatMicros } from '../../../money/ledger/money.ts';
import { beginErasure } from '../erase-account.ts';
import { assertNoOperator, erasePerson, lockAccountsOf } from './delete-person.ts';

/** The reason for which an account is disabled after its last owner left, until maintenance has erased it. */
const leftReason = 'Its last owner deleted themselves. It is being erased.';

/** The actor in the audit log when the last owner deletes themselves, because their name will be erased. */
const lastOwner = actorOf('last_owner');

/** How long an open payment can be paid. Stripe's pages expire after a day. */
const payableForMs = 24 * 60 * 60_000;

/**
 * Deletes the person, and begins to erase the accounts that only they use.
 * @throws AppError `sign_in_refused`; `invalid_request` for an operator, for the last owner of an account with other
 * members, a debt or an unfinished payment, and if the person does not give up a balance
 */
export async function deleteOneself(
  { database, currency }: { database: Database; currency: string },
  who: { viewer: Viewer; address: string },
  { password, givesUpBalance }: Deletion,
): Promise<void> {
  const { viewer } = who;
  const { personId } = viewer;
  await proveOneself(database, who, password);
  await database.transaction(async (tx) => {
    await assertNoOperator(tx, personId);
    const locked = new Map((await lockAccountsOf(tx, personId)).map((account) => [account.id, account]));
    const alone = (await listOwnedAlone(tx, personId)).flatMap((account) => {
      const held = locked.get(account.id);
      return held ? [{ ...account, ...held }] : [];
    });
    for (const account of alone) await assertNobodysElse(tx, account);
    await giveUp(tx, alone, { givesUpBalance, currency });
    for (const { id: accountId } of alone)
      await beginErasure(tx, { accountId, reason: leftReason }, lastOwner);
    await erasePerson(tx, personId, viewer);
  });
}

type Alone = OwnedAlone & LockedAccount;

interface Deletion {
  password: string | undefined;
  givesUpBalance: boolean;
}

async function assertNobodysElse(tx: Tx, { id, name, others, debtMicros }: Alone): Promise<void> {
  const refuse = (detail: string) =>
    new AppError('invalid_request', `You are the only owner of "${name}", ${detail}`);
  if (others > 0) throw refuse('which has other members. First make one of them the owner, or remove them.');
  if (debtMicros > 0n)
    throw refuse('which owes for payments that were reversed. First add credit, which pays it.');
  if ((await countOpenPayments(tx, id, (await readNow(tx)) - payableForMs)) > 0)
    throw refuse('for which a payment is open. First finish it, or wait for a day after it was opened.');
}

/** Refuses if a balance is left, unless the person gives it up. Money released by cancelled jobs is always lost. */
async function giveUp(
  tx: Tx,
  alone: readonly Alone[],
  { givesUpBalance, currency }: { givesUpBalance: boolean; currency: string },
): Promise<void> {
  const left = alone.filter(({ balanceMicros }) => balanceMicros > 0n);
  if (left.length > 0 && !givesUpBalance) {
    const amounts = left.map(
      ({ name, balanceMicros }) => `${formatMicros(balanceMicros)} ${currency} of "${name}"`,
    );
    const lost = amounts.join(' and ');
    throw new AppError(
      'invalid_request',
      `You would give up ${lost}. Confirm this, or hand the balance over first.`,
      {
        errors: [{ pointer: '/give_up_balance', detail: `${lost} would be lost.` }],
      },
    );
  }
  for (const { id: account, balanceMicros, reservedMicros } of left) {
    const amountMicros = balanceMicros - reservedMicros;
    const debit = { account, amountMicros, reason: 'Given up by its last owner' };
    // Nobody is left to read a notification.
    if (amountMicros > 0n) await takeDebit(tx, debit, { by: lastOwner, tellBalances: async () => {} });
  }
}
