import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newToken } from '../../base/std/ids.ts';
import { AppError, invalidField } from '../../errors.ts';
import { lockLiving } from '../../money/ledger/lock-living.ts';
import { type Album, listAlbumJobs } from '../albums/album-store.ts';
import { readOwnJobs } from '../get-job.ts';
import type { Job } from '../job.ts';
import { findOwnJobs } from '../job-list-store.ts';
import { countOpenShares, findShare, insertShare, revokeIfOpen, type Share } from './share-store.ts';

export const maxShared = 100;
export const maxShareDays = 365;
const maxOpen = 1_000;
const dayMs = 24 * 60 * 60 * 1000;
const tokenBytes = 16;

/** Creates a public link, and returns its token. @throws AppError `not_found`; `invalid_request` without an image */
export async function shareImages(
  { database, clock }: { database: Database; clock: Clock },
  what: { accountId: string; withPrompts: boolean; days: number } & (
    | { jobIds: readonly string[]; album?: undefined }
    | { jobIds?: undefined; album: Album }
  ),
  by: Actor,
): Promise<string> {
  const { accountId, album, withPrompts, days } = what;
  const jobs = await readOwnJobs(database.read, accountId, what.jobIds ?? []);
  const jobIds = jobs.map(({ id }) => id);
  if (!jobs.every(({ image }) => image)) throw invalidField('/job_ids', 'must name jobs that have an image.');
  const token = newToken(tokenBytes);
  const expiresAt = clock.nowMs() + days * dayMs;
  await database.transaction(async (tx) => {
    await lockLiving(tx, accountId);
    if ((await countOpenShares(tx, accountId)) >= maxOpen)
      throw new AppError('invalid_request', `An account can have ${maxOpen} links. Revoke some first.`);
    const share = { token, accountId, jobIds, albumId: album?.id ?? null, withPrompts, expiresAt };
    await insertShare(tx, share, by);
    const detail = {
      ...(album ? { album: album.id } : { images: jobIds.length }),
      with_prompts: withPrompts,
      days,
    };
    await insertAuditEntry(tx, by, { action: 'share.created', accountId, subject: nameOf(token), detail });
  });
  return token;
}

/** Revokes a link. A repeat changes nothing. @throws AppError `not_found` */
export async function revokeShare(
  database: Database,
  { accountId, token }: { accountId: string; token: string },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await readOwnShare(tx, { accountId, token });
    if (!(await revokeIfOpen(tx, accountId, token))) return;
    await insertAuditEntry(tx, by, {
      action: 'share.revoked',
      accountId,
      subject: nameOf(token),
      detail: {},
    });
  });
}

/** @throws AppError `not_found` */
export async function readOwnShare(
  queries: Queries,
  { accountId, token }: { accountId: string; token: string },
): Promise<Share> {
  const share = await findShare(queries, token);
  if (share?.accountId !== accountId) throw unknownShare();
  return share;
}

export interface Shared {
  share: Share;
  /** The jobs that still have their image, in the order of the link. */
  jobs: Job[];
}

/** @throws AppError `not_found`, `image_gone` if the link has ended or no image is left */
export async function openShare(deps: OpenShareDeps, token: string): Promise<Shared> {
  const { share, ids } = await readOpen(deps, token);
  const promptLength = share.withPrompts ? undefined : 0;
  const found = await findOwnJobs(deps.database.read, share.accountId, ids, promptLength);
  const jobs = found.filter(({ image }) => image);
  if (jobs.length === 0) throw ended();
  return { share, jobs };
}

/**
 * Reads only this job and not the whole link, because an album page requests up to five hundred images one by one.
 * Returns undefined if the link does not show the job.
 */
export async function openSharedImage(
  deps: OpenShareDeps,
  token: string,
  jobId: string,
): Promise<Job | undefined> {
  const { share, ids } = await readOpen(deps, token);
  if (!ids.includes(jobId)) return undefined;
  const [job] = await findOwnJobs(deps.database.read, share.accountId, [jobId], 0);
  return job?.image ? job : undefined;
}

interface OpenShareDeps {
  database: Database;
  clock: Clock;
}

async function readOpen(
  { database, clock }: OpenShareDeps,
  token: string,
): Promise<{ share: Share; ids: readonly string[] }> {
  const share = await findShare(database.read, token);
  if (!share) throw unknownShare();
  if (share.revokedAt !== null || share.expiresAt <= clock.nowMs()) throw ended();
  const ids = share.albumId === null ? share.jobIds : await listAlbumJobs(database.read, share.albumId);
  return { share, ids };
}

function ended(): AppError {
  return new AppError('image_gone', 'This link has expired. Ask its sender for a new one.');
}

/** Shortens the token for the log, because readers of the log must not be able to open the link. */
function nameOf(token: string): string {
  return `${token.slice(0, 6)}…`;
}

function unknownShare(): AppError {
  return new AppError('not_found', 'There is no such link.');
}
