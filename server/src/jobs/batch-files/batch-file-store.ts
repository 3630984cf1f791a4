import { sql } from 'kysely';
import { isAnyOf, nowMs } from '../../base/db/rows.ts';
import type { BatchFilesTable, Queries, Tx } from '../../base/db/schema.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';

export interface BatchFile {
  id: string;
  accountId: string;
  name: string;
  bytes: number;
  createdAt: number;
}

/** The limits of an account's files. Clients can delete files, and retention deletes them at the age of prompts. */
const mostFiles = { count: 1_000, bytes: 1_073_741_824 };

export function fileKey(id: string): string {
  return `files/${id}.jsonl`;
}

export async function insertFile(
  tx: Tx,
  file: Omit<BatchFile, 'createdAt'>,
): Promise<'inserted' | 'erased' | 'full'> {
  const { id, accountId, name, bytes } = file;
  // Without the lock, two files could use the same remaining space.
  const [account] = await lockBalances(tx, [accountId]);
  if (account?.isErased !== false) return 'erased';
  const { rows } = await sql<{
    count: number;
    bytes: number;
  }>`select count(*) as count, cast(coalesce(sum(bytes), 0) as bigint) as bytes
    from batch_files where account_id = ${accountId}`.execute(tx);
  const [kept = { count: 0, bytes: 0 }] = rows;
  if (kept.count >= mostFiles.count || kept.bytes + bytes > mostFiles.bytes) return 'full';
  await tx
    .insertInto('batch_files')
    .values({ id, account_id: accountId, name, bytes, created_at: nowMs })
    .execute();
  return 'inserted';
}

export async function findFile(
  queries: Queries,
  { accountId, id }: { accountId: string; id: string },
): Promise<BatchFile | undefined> {
  const row = await queries
    .selectFrom('batch_files')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && toFile(row);
}

export async function listFiles(
  queries: Queries,
  of: { accountId: string; after: string | undefined; order: 'asc' | 'desc'; limit: number },
): Promise<BatchFile[]> {
  const rows = await queries
    .selectFrom('batch_files')
    .selectAll()
    .where('account_id', '=', of.accountId)
    .$if(of.after !== undefined, (query) => query.where('id', of.order === 'asc' ? '>' : '<', of.after ?? ''))
    .orderBy('id', of.order)
    .limit(of.limit)
    .execute();
  return rows.map(toFile);
}

export async function deleteFile(
  tx: Tx,
  { accountId, id }: { accountId: string; id: string },
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('batch_files')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns the files' keys in the image store. */
export async function deleteOldFiles(
  tx: Tx,
  { accountId, retentionMs, limit }: { accountId: string; retentionMs: number; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`delete from batch_files where id in (
    select id from batch_files where account_id = ${accountId} and created_at < ${nowMs} - ${sql.lit(retentionMs)}
    order by id limit ${sql.lit(limit)}) returning id`.execute(tx);
  return rows.map(({ id }) => fileKey(id));
}

export async function findKnownFiles(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('batch_files')
    .select('id')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .execute();
  return new Set(rows.map((row) => row.id));
}

function toFile(row: BatchFilesTable): BatchFile {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    bytes: row.bytes,
    createdAt: row.created_at,
  };
}
