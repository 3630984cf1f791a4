import type { Actor } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { AppError, invalidField } from '../../errors.ts';
import { findEntryByReference } from '../../money/ledger/entry-page-store.ts';
import { addCredit } from '../credit-account.ts';
import { voucherReference } from '../references.ts';
import type { TellBalances } from '../tell-balances.ts';
import { hashOfVoucher, readVoucherCode } from './voucher-code.ts';
import { findVoucher, takeVoucherUse } from './voucher-store.ts';

/** Returns the amount. @throws AppError `invalid_request` for a malformed code; `not_found`; `voucher_refused` */
export async function redeemVoucher(
  { database, tellBalances }: { database: Database; tellBalances: TellBalances },
  { accountId, code: typed }: { accountId: string; code: string },
  by: Actor,
): Promise<bigint> {
  const code = readVoucherCode(typed);
  if (code === undefined)
    throw invalidField('/code', 'is not a voucher: check for a missing or mistyped character.');
  const hash = hashOfVoucher(code);
  return database.transaction(async (tx) => {
    const voucher = await findVoucher(tx, hash);
    if (!voucher) throw new AppError('not_found', 'There is no such voucher.');
    const { amountMicros, expiresAt, withdrawnAt, uses } = voucher;
    if (withdrawnAt !== null) throw refused('was withdrawn');
    if (expiresAt !== null && expiresAt <= (await readNow(tx))) throw refused('has expired');
    const reference = `${voucherReference}${hash.slice(0, 32)}`;
    const reason = `Voucher …${code.slice(-4)}`;
    // Refuses most repeats before they wait for the account's lock, under which the final check runs.
    if (await findEntryByReference(tx, accountId, reference)) throw refused(spentHere);
    if (voucher.redeemed >= uses) throw refused(spent);
    const credit = { account: accountId, amountMicros, reason, reference };
    const { isReplay } = await addCredit(tx, credit, { by, tellBalances });
    if (isReplay) throw refused(spentHere);
    if (!(await takeVoucherUse(tx, hash, uses))) throw refused('has been redeemed, or withdrawn');
    return amountMicros;
  });
}

const spent = 'has been redeemed';
const spentHere = `${spent} by this account already`;

function refused(why: string): AppError {
  return new AppError('voucher_refused', `This voucher ${why}. Nothing was added.`);
}
