import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Queries } from '../../base/db/schema.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { findVoucherBatch, type VoucherBatch, withdrawVoucherBatch } from './voucher-store.ts';

/** Withdraws unused codes. A repeat changes nothing. @throws AppError `not_found` */
export async function withdrawVouchers(
  { database }: { database: Database },
  id: string,
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const batch = await readVoucherBatch(tx, id);
    if (await withdrawVoucherBatch(tx, batch.id))
      await insertAuditEntry(tx, by, {
        ...{ action: 'vouchers.withdrawn', accountId: null, subject: batch.id, detail: {} },
      });
  });
}

/** @throws AppError `not_found` */
export async function readVoucherBatch(queries: Queries, id: string): Promise<VoucherBatch> {
  const batch = isUuid(id) ? await findVoucherBatch(queries, id) : undefined;
  if (!batch) throw new AppError('not_found', 'There are no such vouchers.');
  return batch;
}
