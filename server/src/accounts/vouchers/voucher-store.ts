import { sql } from 'kysely';
import { nowMs, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx, VoucherBatchesTable } from '../../base/db/schema.ts';

export interface VoucherBatch {
  id: string;
  name: string | null;
  amountMicros: bigint;
  count: number;
  uses: number;
  redeemed: number;
  createdAt: number;
  /** Null if the codes do not expire. */
  expiresAt: number | null;
  withdrawnAt: number | null;
}

type NewVoucherBatch = Pick<VoucherBatch, 'name' | 'amountMicros' | 'uses' | 'expiresAt'>;

export async function insertVouchers(
  tx: Tx,
  id: string,
  { name, amountMicros, uses, expiresAt, hashes }: NewVoucherBatch & { hashes: readonly string[] },
): Promise<void> {
  await tx
    .insertInto('voucher_batches')
    .values({
      ...{ id, name, amount_micros: amountMicros, uses, expires_at: expiresAt },
      ...{ count: hashes.length, created_at: nowMs, withdrawn_at: null },
    })
    .execute();
  const rows = rowsOf(tx, { hash: 'text', batch_id: 'uuid' }, [
    ...hashes.map((hash) => ({ hash, batch_id: id })),
  ]);
  await sql`insert into vouchers (hash, batch_id) select hash, batch_id from ${rows} as made`.execute(tx);
}

export interface Voucher extends Pick<VoucherBatch, 'amountMicros' | 'uses' | 'expiresAt' | 'withdrawnAt'> {
  redeemed: number;
}

export async function findVoucher(queries: Queries, hash: string): Promise<Voucher | undefined> {
  const row = await queries
    .selectFrom('vouchers')
    .innerJoin('voucher_batches', 'voucher_batches.id', 'vouchers.batch_id')
    .select(['redeemed', 'amount_micros', 'uses', 'expires_at', 'withdrawn_at'])
    .where('hash', '=', hash)
    .executeTakeFirst();
  return (
    row && {
      ...{ redeemed: row.redeemed, amountMicros: row.amount_micros, uses: row.uses },
      ...{ expiresAt: row.expires_at, withdrawnAt: row.withdrawn_at },
    }
  );
}

export async function findVoucherBatch(queries: Queries, id: string): Promise<VoucherBatch | undefined> {
  const row = await batches(queries).where('voucher_batches.id', '=', id).executeTakeFirst();
  return row && toBatch(row);
}

/** Newest first. */
export async function listVoucherBatches(
  queries: Queries,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<VoucherBatch[]> {
  const rows = await batches(queries)
    .$if(before !== undefined, (query) => query.where('voucher_batches.id', '<', before ?? ''))
    .orderBy('voucher_batches.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toBatch);
}

/** Counts one use of a code. False if none is left or the code was withdrawn. Concurrent calls wait for each other. */
export async function takeVoucherUse(tx: Tx, hash: string, uses: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('vouchers')
    .set((eb) => ({ redeemed: eb('redeemed', '+', 1) }))
    .where('hash', '=', hash)
    .where('redeemed', '<', uses)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('voucher_batches')
          .select('id')
          .whereRef('voucher_batches.id', '=', 'vouchers.batch_id')
          .where('withdrawn_at', 'is', null),
      ),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function withdrawVoucherBatch(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('voucher_batches')
    .set({ withdrawn_at: nowMs })
    .where('id', '=', id)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function batches(queries: Queries) {
  return queries
    .selectFrom('voucher_batches')
    .selectAll('voucher_batches')
    .select((eb) =>
      eb
        .selectFrom('vouchers')
        .whereRef('vouchers.batch_id', '=', 'voucher_batches.id')
        .select((sum) => sum.fn.coalesce(sum.fn.sum<number>('redeemed'), sum.lit(0)).as('redeemed'))
        .as('redeemed'),
    );
}

function toBatch(row: VoucherBatchesTable & { redeemed: number | null }): VoucherBatch {
  return {
    ...{ id: row.id, name: row.name, amountMicros: row.amount_micros },
    ...{ count: row.count, uses: row.uses, redeemed: Number(row.redeemed) },
    ...{ createdAt: row.created_at, expiresAt: row.expires_at, withdrawnAt: row.withdrawn_at },
  };
}
