import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { newId } from '../../base/std/ids.ts';
import { invalidField } from '../../errors.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { hashOfVoucher, newVoucherCode } from './voucher-code.ts';
import { insertVouchers, type VoucherBatch } from './voucher-store.ts';

export interface NewVouchers extends Pick<VoucherBatch, 'amountMicros' | 'expiresAt' | 'count'> {
  name?: string | null;
  uses?: number;
}

/** Only this answer shows the codes. @throws AppError `invalid_request` for a zero amount or a past expiry */
export async function createVouchers(
  { database }: { database: Database },
  { count, name = null, uses = 1, ...worth }: NewVouchers,
  by: Actor,
): Promise<{ id: string; codes: string[] }> {
  const batch = { name, uses, ...worth };
  if (batch.amountMicros <= 0n) throw invalidField('/amount', 'must be more than zero.');
  const codes = Array.from({ length: count }, newVoucherCode);
  const id = await database.transaction(async (tx) => {
    const now = await readNow(tx);
    // The comparison is negated, so that an invalid time, such as a leap second, is refused too.
    if (batch.expiresAt !== null && !(batch.expiresAt > now))
      throw invalidField('/expires_at', 'must be in the future.');
    const made = newId(now);
    await insertVouchers(tx, made, { ...batch, hashes: codes.map(hashOfVoucher) });
    const detail = { amount: formatMicros(batch.amountMicros), count, uses: batch.uses };
    await insertAuditEntry(tx, by, { action: 'vouchers.created', accountId: null, subject: made, detail });
    return made;
  });
  return { id, codes };
}
