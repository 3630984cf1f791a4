import { type Selectable, sql } from 'kysely';
import { isAnyOf, nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx, UploadsTable } from '../../base/db/schema.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import type { FoundImage } from '../image-links.ts';
import type { StoredMediaType } from '../media-types.ts';
import type { UploadLimits } from './limits.ts';

export interface StoredUpload extends Required<FoundImage> {
  id: string;
  expiresAt: number;
}

interface Stored {
  count: number;
  bytes: number;
}

export async function readStoredUploads(queries: Queries, accountId: string): Promise<Stored> {
  const { rows } =
    await sql<Stored>`select count(*) as count, cast(coalesce(sum(bytes), 0) as bigint) as bytes
    from uploads where account_id = ${accountId} and expires_at > ${nowMs}`.execute(queries);
  return rows[0] ?? { count: 0, bytes: 0 };
}

export async function insertUploadIfRoom(
  tx: Tx,
  upload: StoredUpload,
  limits: UploadLimits,
): Promise<'inserted' | 'erased' | 'full'> {
  // The account is locked, so that two uploads cannot use the same space.
  const [account] = await lockBalances(tx, [upload.accountId]);
  if (account?.isErased !== false) return 'erased';
  const stored = await readStoredUploads(tx, upload.accountId);
  if (stored.count >= limits.count || stored.bytes + upload.bytes > limits.bytes) return 'full';
  const { id, accountId, key, mediaType, width, height, bytes, sha256, expiresAt } = upload;
  await tx
    .insertInto('uploads')
    .values({
      id,
      account_id: accountId,
      key,
      media_type: mediaType,
      width,
      height,
      bytes,
      sha256,
      created_at: nowMs,
      expires_at: expiresAt,
    })
    .execute();
  return 'inserted';
}

export async function findUploadedImage(queries: Queries, uploadId: string): Promise<FoundImage | 'gone'> {
  const row = await queries.selectFrom('uploads').selectAll().where('id', '=', uploadId).executeTakeFirst();
  return row ? toUpload(row) : 'gone';
}

export async function listUploads(
  queries: Queries,
  {
    accountId,
    id,
    before,
    limit,
  }: { accountId: string; id?: string; before?: string | undefined; limit: number },
): Promise<StoredUpload[]> {
  let query = queries
    .selectFrom('uploads')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expires_at', '>', nowMs);
  if (id !== undefined) query = query.where('id', '=', id);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toUpload);
}

/** Returns the key of the upload's image; undefined if the account has no such upload. */
export async function deleteUpload(
  tx: Tx,
  { accountId, uploadId }: { accountId: string; uploadId: string },
): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('uploads')
    .where('id', '=', uploadId)
    .where('account_id', '=', accountId)
    .returning('key')
    .executeTakeFirst();
  return row?.key;
}

/** Deletes the oldest first. Returns the keys of the uploads' images. */
export async function deleteExpiredUploads(tx: Tx, limit: number): Promise<string[]> {
  const expired = await tx
    .selectFrom('uploads')
    .select(['id', 'key'])
    .where('expires_at', '<=', nowMs)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  const ids = expired.map(({ id }) => id);
  await tx
    .deleteFrom('uploads')
    .where(isAnyOf(tx, 'id', ids, 'uuid'))
    .execute();
  return expired.map(({ key }) => key);
}

export async function findKnownUploads(queries: Queries, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queries
    .selectFrom('uploads')
    .select('id')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .execute();
  return new Set(rows.map((row) => row.id));
}

function toUpload(row: Selectable<UploadsTable>): StoredUpload {
  return {
    id: row.id,
    accountId: row.account_id,
    key: row.key,
    mediaType: row.media_type as StoredMediaType, // the decoder chose it
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    sha256: row.sha256,
    expiresAt: row.expires_at,
  };
}
