import { sql } from 'kysely';
import { isPostgres, nowMs, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';

export interface Album {
  id: string;
  accountId: string;
  name: string;
  createdAt: number;
}

export async function insertAlbum(tx: Tx, { id, accountId, name }: Omit<Album, 'createdAt'>): Promise<void> {
  await tx.insertInto('albums').values({ id, account_id: accountId, name, created_at: nowMs }).execute();
}

export async function findAlbum(queries: Queries, id: string): Promise<Album | undefined> {
  const row = await queries.selectFrom('albums').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toAlbum(row);
}

/** Locks the album until the transaction ends, because each change rewrites its whole order. */
export async function lockAlbum(tx: Tx, id: string): Promise<void> {
  if (isPostgres(tx)) await tx.selectFrom('albums').select('id').where('id', '=', id).forUpdate().execute();
}

export async function listAlbums(queries: Queries, accountId: string): Promise<Album[]> {
  const rows = await queries
    .selectFrom('albums')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toAlbum);
}

export async function countAlbums(tx: Tx, accountId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('albums')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function putAlbumName(tx: Tx, id: string, name: string): Promise<void> {
  await tx.updateTable('albums').set({ name }).where('id', '=', id).execute();
}

export async function deleteAlbumRows(
  tx: Tx,
  { id, accountId }: Pick<Album, 'id' | 'accountId'>,
): Promise<void> {
  await tx
    .updateTable('shares')
    .set({ revoked_at: nowMs })
    .where('account_id', '=', accountId)
    .where('album_id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
  await tx.deleteFrom('album_images').where('album_id', '=', id).execute();
  await tx.deleteFrom('albums').where('id', '=', id).execute();
}

export async function listAlbumJobs(queries: Queries, albumId: string): Promise<string[]> {
  const rows = await queries
    .selectFrom('album_images')
    .innerJoin('jobs', 'jobs.id', 'album_images.job_id')
    .select('album_images.job_id')
    .where('album_images.album_id', '=', albumId)
    .where('jobs.image_deleted_at', 'is', null)
    .orderBy('album_images.position')
    .execute();
  return rows.map(({ job_id }) => job_id);
}

/** Returns the number of images in each of the account's albums and the job of its first image, by the album's id. */
export async function summariseAlbums(
  queries: Queries,
  accountId: string,
): Promise<Map<string, { images: number; firstJob: string }>> {
  const { rows } = await sql<{ id: string; images: number; firstJob: string }>`
    select counted.album_id as id, counted.images, first.job_id as "firstJob"
    from (select album_images.album_id, count(*) as images, min(album_images.position) as position
        from album_images join jobs on jobs.id = album_images.job_id and jobs.image_deleted_at is null
        where album_images.account_id = ${accountId} group by album_images.album_id) as counted
      join album_images as first on first.album_id = counted.album_id and first.position = counted.position`.execute(
    queries,
  );
  return new Map(rows.map(({ id, images, firstJob }) => [id, { images: Number(images), firstJob }]));
}

export async function putAlbumJobs(
  tx: Tx,
  { id, accountId }: Pick<Album, 'id' | 'accountId'>,
  jobIds: readonly string[],
): Promise<void> {
  await tx.deleteFrom('album_images').where('album_id', '=', id).execute();
  if (jobIds.length === 0) return;
  const rows = rowsOf(
    tx,
    { position: 'integer', job_id: 'uuid' },
    jobIds.map((job_id, position) => ({ position, job_id })),
  );
  await sql`insert into album_images (album_id, position, job_id, account_id)
    select ${id}, position, job_id, ${accountId} from ${rows} as rows`.execute(tx);
}

function toAlbum(row: { id: string; account_id: string; name: string; created_at: number }): Album {
  return { id: row.id, accountId: row.account_id, name: row.name, createdAt: row.created_at };
}
