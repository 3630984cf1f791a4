import { sql } from 'kysely';
import { isAnyOf, rowsOf } from '../db/rows.ts';
import type { Queries, Tx } from '../db/schema.ts';
import type { Limit, Meter, Subject } from './limit.ts';

/**
 * Limits of these subjects that count such things. Exact in a transaction that has locked the account, because all
 * that changes a limit locks it first.
 */
export async function readLimits<Of extends Meter>(
  queries: Queries,
  subjectIds: readonly string[],
  of: readonly Of[],
): Promise<Limit<Of>[]> {
  const ids = [...new Set(subjectIds)];
  const { rows } = await sql<LimitRow<Of>>`
    select subject_id, subject, meter, most, used, starts_at from limits
    where ${isAnyOf(queries, 'subject_id', ids, 'uuid')} and meter in (${sql.join(of)}) order by subject_id, meter`.execute(
    queries,
  );
  return rows.map((row) => toLimit(row));
}

/** Puts limits in the place of those of the same subjects and meters. */
export async function saveLimits(tx: Tx, limits: readonly Limit[]): Promise<void> {
  if (limits.length === 0) return;
  const columns = {
    subject_id: 'uuid',
    subject: 'text',
    meter: 'text',
    most: 'integer',
    used: 'integer',
    starts_at: 'integer',
  } as const;
  const rows = limits.map(({ subject, meter, most, used, startsAt }) => ({
    subject_id: subject.id,
    subject: subject.kind,
    meter,
    most,
    used,
    starts_at: startsAt,
  }));
  await sql`insert into limits (subject_id, subject, meter, most, used, starts_at)
    select subject_id, subject, meter, most, used, starts_at from ${rowsOf(tx, columns, rows)} as saved where true
    on conflict (subject_id, meter) do update
    set most = excluded.most, used = excluded.used, starts_at = excluded.starts_at`.execute(tx);
}

export async function removeLimit(tx: Tx, subject: Subject, meter: Meter): Promise<void> {
  await tx.deleteFrom('limits').where('subject_id', '=', subject.id).where('meter', '=', meter).execute();
}

/** Limits of client tokens go with their tokens. */
export async function sweepLimits(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('limits')
    .where('subject', '=', 'client_token')
    .where('subject_id', 'not in', tx.selectFrom('client_tokens').select('id'))
    .execute();
}

const ownerColumns = { account: 'account_id', key: 'key_id', client_token: 'client_token_id' } as const;

/** What the jobs that a subject has already use, for a limit that is new. */
export async function measureUse(
  tx: Tx,
  subject: Subject,
  { meter, startsAt }: Pick<Limit, 'meter' | 'startsAt'>,
): Promise<bigint> {
  const what = meter === 'open' ? sql`count(*)` : sql`coalesce(sum(price_micros), 0)`;
  const which = meter === 'open' ? sql`status in ('queued', 'processing')` : sql`status <> 'failed'`;
  const { rows } = await sql<{ use: number }>`
    select cast(${what} as bigint) as use from jobs
    where ${sql.ref(ownerColumns[subject.kind])} = ${subject.id} and created_at >= ${startsAt} and ${which}`.execute(
    tx,
  );
  return BigInt(rows[0]?.use ?? 0);
}

interface LimitRow<Of> {
  subject_id: string;
  subject: Subject['kind'];
  meter: Of;
  most: number;
  used: number;
  starts_at: number;
}

function toLimit<Of extends Meter>(row: LimitRow<Of>): Limit<Of> {
  const { subject_id, subject, meter, most, used, starts_at } = row;
  return {
    subject: { kind: subject, id: subject_id },
    meter,
    most: BigInt(most),
    used: BigInt(used),
    startsAt: starts_at,
  };
}
