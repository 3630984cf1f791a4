import { sql } from 'kysely';
import { isAnyOf, readNow } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { claimSetting, readBirth, readSetting, writeSetting } from '../../base/db/settings-store.ts';
import { firstIdAt } from '../../base/std/ids.ts';

const idSetting = 'installation_id';
const claimedSetting = 'image_store_claimed_at';

/** Returns the installation's id, which copies of a database share. Sets it to `fresh` if there is none. */
export async function ensureInstallationId(tx: Tx, fresh: string): Promise<string> {
  await claimSetting(tx, idSetting, fresh);
  return (await readSetting(tx, idSetting)) ?? fresh;
}

export async function renewInstallationId(tx: Tx, fresh: string): Promise<void> {
  await writeSetting(tx, idSetting, fresh);
}

/**
 * Sets which images of unknown jobs the sweeps keep: with `true`, all from before now; with `false`, only those from
 * before the database was created.
 */
export async function writeStoreClaim(tx: Tx, keepsEarlier: boolean): Promise<void> {
  await writeSetting(tx, claimedSetting, keepsEarlier ? String(await readNow(tx)) : '0');
}

/** Sweeps never remove images of jobs that were created before this time. */
export async function readStoreClaim(queries: Queries): Promise<number> {
  const claimed = Number((await readSetting(queries, claimedSetting)) ?? 0);
  return Math.max(claimed, await readBirth(queries));
}

export async function findNewestJob(queries: Queries): Promise<string | undefined> {
  // This bound includes every id. With it, SQLite's query plan says "search" instead of "scan".
  const row = await queries
    .selectFrom('jobs')
    .select('id')
    .where('id', '>', firstIdAt(0))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Returns those ids whose jobs this database has accepted. Reads ledger entries, which outlive jobs. */
export async function findAcceptedJobs(queries: Queries, jobIds: readonly string[]): Promise<Set<string>> {
  if (jobIds.length === 0) return new Set();
  const rows = await queries
    .selectFrom('entries')
    .select('job_id')
    // This is a literal, because PostgreSQL would not use the index of reserves for a parameter.
    .where('kind', '=', sql.lit('reserve'))
    .where(isAnyOf(queries, 'job_id', jobIds, 'uuid'))
    .execute();
  return new Set(rows.flatMap(({ job_id }) => job_id ?? []));
}
