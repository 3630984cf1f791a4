import type { Database } from '../../base/db/database.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId, readId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { lockLiving } from '../../money/ledger/lock-living.ts';
import { readOwnJobs } from '../get-job.ts';
import { maxZipped } from '../zip-images.ts';
import {
  type Album,
  countAlbums,
  deleteAlbumRows,
  findAlbum,
  insertAlbum,
  listAlbumJobs,
  lockAlbum,
  putAlbumJobs,
  putAlbumName,
} from './album-store.ts';

/** The maximum number of images in an album, so that an album always fits in one archive. */
export const maxAlbumImages = maxZipped;
/** The maximum number of an account's albums, because one answer lists them all. */
export const maxAlbums = 200;

export interface AlbumChange {
  name?: string | undefined;
  /** The jobs, in order, that replace those of the album. */
  jobIds?: readonly string[] | undefined;
  add?: readonly string[] | undefined;
  remove?: readonly string[] | undefined;
  move?: Move | undefined;
}

interface Move {
  jobId: string;
  /** The job that it comes after; null if it comes first. */
  after: string | null;
}

/** Returns the album's id. @throws AppError `invalid_request`; `not_found` for a job of another account */
export async function createAlbum(
  { database, clock }: { database: Database; clock: Clock },
  { accountId, name, add = [] }: { accountId: string; name: string; add?: readonly string[] | undefined },
): Promise<string> {
  const id = newId(clock.nowMs());
  await database.transaction(async (tx) => {
    await lockLiving(tx, accountId);
    if ((await countAlbums(tx, accountId)) >= maxAlbums)
      throw new AppError('invalid_request', `An account can have ${maxAlbums} albums. Delete some first.`);
    await insertAlbum(tx, { id, accountId, name });
    await putJobs(tx, { id, accountId }, add);
  });
  return id;
}

/** @throws AppError `not_found`, also for another account's job; `invalid_request` for more than `maxAlbumImages` */
export async function changeAlbum(
  database: Database,
  of: { accountId: string; albumId: string },
  { name, jobIds, ...change }: AlbumChange,
): Promise<void> {
  await database.transaction(async (tx) => {
    const album = await lockOwnAlbum(tx, of);
    if (name !== undefined) await putAlbumName(tx, album.id, name);
    const { add, remove, move } = change;
    if (!(jobIds ?? add ?? remove ?? move)) return;
    await putJobs(tx, album, changed(jobIds ?? (await listAlbumJobs(tx, album.id)), change));
  });
}

function changed(
  jobIds: readonly string[],
  { add = [], remove = [], move }: Pick<AlbumChange, 'add' | 'remove' | 'move'>,
): string[] {
  const removed = new Set(remove.map(lowerCase));
  const kept = [...jobIds, ...add].map(lowerCase).filter((id) => !removed.has(id));
  return move ? moved([...new Set(kept)], move) : kept;
}

/** Moves nothing if either job is not in the album, because another member may just have removed it. */
function moved(ids: string[], move: Move): string[] {
  const id = lowerCase(move.jobId);
  const others = ids.filter((other) => other !== id);
  const at = move.after === null ? 0 : others.indexOf(lowerCase(move.after)) + 1;
  if (others.length === ids.length || (move.after !== null && at === 0)) return ids;
  return others.toSpliced(at, 0, id);
}

/** The stored form of an id. */
function lowerCase(id: string): string {
  return id.toLowerCase();
}

/** Deletes an album and its public links. The images stay. @throws AppError `not_found` */
export async function deleteAlbum(
  database: Database,
  of: { accountId: string; albumId: string },
): Promise<void> {
  await database.transaction(async (tx) => deleteAlbumRows(tx, await lockOwnAlbum(tx, of)));
}

/** Locks an album and reads it again: it may have been deleted during the wait. @throws AppError `not_found` */
async function lockOwnAlbum(tx: Tx, of: { accountId: string; albumId: string }): Promise<Album> {
  const { id } = await readOwnAlbum(tx, of);
  await lockAlbum(tx, id);
  return readOwnAlbum(tx, of);
}

/** @throws AppError `not_found` */
export async function readOwnAlbum(
  queries: Queries,
  { accountId, albumId }: { accountId: string; albumId: string },
): Promise<Album> {
  const id = readId(albumId);
  const album = id === undefined ? undefined : await findAlbum(queries, id);
  if (album?.accountId !== accountId) throw new AppError('not_found', 'There is no such album.');
  return album;
}

/** Sets the album's jobs: each once, at its first position. Skips jobs whose image was just deleted. */
async function putJobs(
  tx: Tx,
  album: Pick<Album, 'id' | 'accountId'>,
  jobIds: readonly string[],
): Promise<void> {
  const jobs = await readOwnJobs(tx, album.accountId, jobIds);
  const kept = jobs.flatMap(({ id, image }) => (image ? [id] : []));
  if (kept.length > maxAlbumImages)
    throw new AppError('invalid_request', `An album can have ${maxAlbumImages} images.`);
  await putAlbumJobs(tx, album, kept);
}
