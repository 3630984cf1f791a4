import { sql } from 'kysely';
import { isAnyOf, isPostgres, nowMs, orOutdated, rowsOf } from '../../base/db/rows.ts';
import type { IdempotencyKeysTable, Queries, Tx } from '../../base/db/schema.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';
import { isKeyOfLaterJob, type KeyRecord } from './decide-admissions.ts';

export async function findKeyRecords(
  queries: Queries,
  keys: readonly { accountId: string; key: string }[],
): Promise<KeyRecord[]> {
  if (keys.length === 0) return [];
  const wanted = rowsOf(
    queries,
    { account_id: 'uuid', key: 'text' },
    keys.map(({ accountId, key }) => ({ account_id: accountId, key })),
  );
  const { rows } = await sql<IdempotencyKeysTable>`select known.* from ${wanted} as wanted
    join idempotency_keys as known on known.account_id = wanted.account_id and known.key = wanted.key`.execute(
    queries,
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    key: row.key,
    fingerprint: row.fingerprint,
    jobId: row.job_id,
    holder: row.holder,
    heldUntil: row.held_until,
  }));
}

/** Lists the models of a job and of the other jobs of its batch, with the versions under which they were accepted. */
export async function listAcceptedVersions(
  queries: Queries,
  jobId: string,
): Promise<{ model: ModelId; version: number | null }[]> {
  const { rows } = await sql<{ model: ModelId; version: number | null }>`
    select model, model_version as version from jobs where id = ${jobId}
    union select model, model_version from jobs where batch_id = (select batch_id from jobs where id = ${jobId})`.execute(
    queries,
  );
  return rows;
}

/**
 * Writes the key records of admitted jobs, in place of their own holds and of abandoned holds. The keys of a request's
 * later jobs belong to whoever has its first key: an earlier request's records may remain if its first job was removed.
 */
export async function useKeys(
  tx: Tx,
  used: readonly { accountId: string; key: string; fingerprint: string; jobId: string }[],
): Promise<void> {
  if (used.length === 0) return;
  const incoming = rowsOf(
    tx,
    { account_id: 'uuid', key: 'text', fingerprint: 'text', job_id: 'uuid' },
    used.map(({ accountId, key, fingerprint, jobId }) => ({
      account_id: accountId,
      key,
      fingerprint,
      job_id: jobId,
    })),
  );
  const later = used.flatMap(({ key }) => (isKeyOfLaterJob(key) ? [key] : []));
  const isOfLater = later.length === 0 ? sql`` : sql`or ${isAnyOf(tx, 'excluded.key', later, 'text')}`;
  // `where true` tells SQLite's parser that `on conflict` is not a join condition.
  const written = sql`insert into idempotency_keys (account_id, key, fingerprint, job_id, created_at)
    select account_id, key, fingerprint, job_id, ${nowMs} from ${incoming} as incoming where true
    on conflict (account_id, key) do update set
      fingerprint = excluded.fingerprint, job_id = excluded.job_id, holder = null, held_until = null,
      created_at = excluded.created_at
    where idempotency_keys.job_id is null ${isOfLater}`;
  // If two requests found the same key free, the second must not take it over.
  await (isPostgres(tx)
    ? sql`with used as (${written} returning 1) select ${orOutdated(sql`count(*) = ${used.length}`)} from used`
    : written
  ).execute(tx);
}

/** Holds a key until the request ends or `holdMs` have passed. Returns false if another request has the key. */
export async function holdKeyIfFree(
  tx: Tx,
  hold: { accountId: string; key: string; fingerprint: string; holder: string; holdMs: number },
): Promise<boolean> {
  const { accountId, key, fingerprint, holder, holdMs } = hold;
  const values = {
    fingerprint,
    holder,
    held_until: sql<number>`${nowMs} + ${sql.lit(holdMs)}`,
    created_at: nowMs,
  };
  const result = await tx
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'key'])
        .doUpdateSet(values)
        .where('idempotency_keys.job_id', 'is', null)
        .where('idempotency_keys.held_until', '<=', nowMs),
    )
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function extendHold(
  tx: Tx,
  { accountId, key, holder, holdMs }: { accountId: string; key: string; holder: string; holdMs: number },
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ held_until: sql<number>`${nowMs} + ${sql.lit(holdMs)}` })
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('holder', '=', holder)
    .execute();
}

/** Releases a held key, unless it has been used or taken over. */
export async function releaseKey(
  tx: Tx,
  { accountId, key, holder }: { accountId: string; key: string; holder: string },
) {
  await tx
    .deleteFrom('idempotency_keys')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .where('holder', '=', holder)
    .execute();
}

const isHoldOver = sql<boolean>`held_until < ${nowMs}`;

export const isAnyHoldOver = sql<boolean>`exists (select 1 from idempotency_keys where ${isHoldOver})`;

export const isAnyHeld = sql<boolean>`exists (select 1 from idempotency_keys where held_until is not null)`;

export async function sweepHolds(tx: Tx): Promise<number> {
  const result = await tx.deleteFrom('idempotency_keys').where(isHoldOver).executeTakeFirst();
  return Number(result.numDeletedRows);
}
