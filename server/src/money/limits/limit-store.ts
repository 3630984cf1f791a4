import { type RawBuilder, sql } from 'kysely';
import { isLeased, isUnderWay, isWaiting } from '../../base/db/job-predicates.ts';
import { isAnyOf, nowMs, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { Limit, Meter, Subject } from './limit.ts';

/** Reads limits. Exact in a transaction that has locked the account, because every change of a limit locks it first. */
export async function readLimits<Of extends Meter>(
  queries: Queries,
  subjectIds: readonly string[],
  of: readonly Of[],
): Promise<Limit<Of>[]> {
  return (await readLimitsAndNow(queries, subjectIds, of)).limits;
}

/**
 * Reads limits and the time, which is undefined without limits. A separate query for the time would add a round trip
 * while accounts are locked.
 */
export async function readLimitsAndNow<Of extends Meter>(
  queries: Queries,
  subjectIds: readonly string[],
  of: readonly Of[],
): Promise<{ limits: Limit<Of>[]; nowMs: number | undefined }> {
  const ids = [...new Set(subjectIds)];
  const { rows } = await sql<LimitRow<Of> & { now: number }>`
    select subject_id, subject, meter, most, is_default, used, starts_at, told, reached_told, ${nowMs} as now from limits
    where ${isAnyOf(queries, 'subject_id', ids, 'uuid')} and meter in (${sql.join(of)}) order by subject_id, meter`.execute(
    queries,
  );
  return { limits: rows.map((row) => toLimit(row)), nowMs: rows[0]?.now };
}

/** Saves limits. Each replaces the stored limit with the same subject and meter. */
export async function saveLimits(tx: Tx, limits: readonly Limit[]): Promise<void> {
  if (limits.length === 0) return;
  const columns = {
    subject_id: 'uuid',
    subject: 'text',
    meter: 'text',
    most: 'integer',
    is_default: 'integer',
    used: 'integer',
    starts_at: 'integer',
    told: 'integer',
    reached_told: 'integer',
  } as const;
  const rows = limits.map(({ subject, meter, most, isDefault, used, startsAt, told }) => ({
    subject_id: subject.id,
    subject: subject.kind,
    meter,
    most,
    is_default: isDefault ? 1 : 0,
    used,
    starts_at: startsAt,
    told: told.near ? 1 : 0,
    reached_told: told.reached ? startsAt : null,
  }));
  await sql`insert into limits (subject_id, subject, meter, most, is_default, used, starts_at, told, reached_told)
    select subject_id, subject, meter, most, is_default, used, starts_at, told, reached_told from ${rowsOf(tx, columns, rows)} as saved where true
    on conflict (subject_id, meter) do update
    set most = excluded.most, is_default = excluded.is_default, used = excluded.used, starts_at = excluded.starts_at,
      told = excluded.told, reached_told = excluded.reached_told`.execute(tx);
}

export async function removeLimit(tx: Tx, subject: Subject, meter: Meter): Promise<void> {
  await tx.deleteFrom('limits').where('subject_id', '=', subject.id).where('meter', '=', meter).execute();
}

/** Reads the `running` limits of the accounts and keys that have one; null means unlimited. */
export async function readRunningLimits(queries: Queries): Promise<Map<string, bigint | null>> {
  // This must be the condition of the partial index, word for word, or the query cannot use the index.
  const { rows } = await sql<{ subject_id: string; most: number | null }>`
    select subject_id, most from limits where meter = 'running'`.execute(queries);
  return new Map(rows.map(({ subject_id, most }) => [subject_id, most === null ? null : BigInt(most)]));
}

export async function sweepLimits(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('limits')
    .where('subject', '=', 'client_token')
    .where('subject_id', 'not in', tx.selectFrom('client_tokens').select('id'))
    .execute();
}

const ownerColumns = { account: 'account_id', key: 'key_id', client_token: 'client_token_id' } as const;

type Measured = Pick<Limit, 'subject' | 'meter' | 'startsAt'>;

/** Measures what existing jobs use. Input bytes and requests are 0, because they are counted only while limited. */
export async function measureUses(queries: Queries, limits: readonly Measured[]): Promise<bigint[]> {
  const uses = limits.map(() => 0n);
  const places = [...limits.keys()];
  const alike = Map.groupBy(places, (place) => `${limits[place]?.subject.kind} ${limits[place]?.meter}`);
  await Promise.all(
    [...alike.values()].map(async (own) => {
      const asked = own.map((place) => ({ place, ...(limits[place] as Measured) })); // an index of `limits`
      for (const [place, use] of await measureAlike(queries, asked)) uses[place] = use;
    }),
  );
  return uses;
}

async function measureAlike(
  queries: Queries,
  limits: readonly (Measured & { place: number })[],
): Promise<[place: number, use: bigint][]> {
  const [first] = limits;
  const use = first && useOf(first.subject.kind, first.meter);
  if (!use) return [];
  const asked = rowsOf(
    queries,
    { place: 'integer', subject_id: 'uuid', starts_at: 'integer' },
    limits.map(({ place, subject, startsAt }) => ({ place, subject_id: subject.id, starts_at: startsAt })),
  );
  const { rows } = await sql<{ place: number; use: number }>`
    select asked.place, (${use}) as use from ${asked} as asked`.execute(queries);
  return rows.map((row) => [row.place, BigInt(row.use)]);
}

function useOf(kind: Subject['kind'], meter: Meter): RawBuilder<unknown> | undefined {
  const subject = { kind, id: sql`asked.subject_id` };
  const isOwn = isOf(subject);
  const select = (what: RawBuilder<unknown>, which: RawBuilder<boolean>) =>
    sql`select cast(${what} as bigint) from jobs where ${which}`;
  switch (meter) {
    case 'input':
    case 'second':
    case 'minute':
      return undefined;
    case 'open':
      return select(sql`count(*)`, sql`${isOwn} and ${isUnderWay}`);
    case 'waiting':
      return select(sql`count(*)`, isWaitingOf(subject));
    case 'running':
      return select(sql`count(*)`, sql`${isOwn} and ${isLeased}`);
    default: {
      const spent = sql`coalesce(sum(price_micros), 0)`;
      const counts = sql<boolean>`jobs.created_at >= asked.starts_at and status <> 'failed'`;
      return kind === 'key' ? spentInLine(spent, counts) : select(spent, sql`${isOwn} and ${counts}`);
    }
  }
}

/** Includes what the key took over from those that it replaced, because `giveBack` returns the prices of their jobs. */
function spentInLine(spent: RawBuilder<unknown>, counts: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`with recursive line (id, until) as (
      select asked.subject_id, cast(null as bigint)
      union all
      select rolled.id, successor.created_at from line
        join api_keys as successor on successor.id = line.id
        join api_keys as rolled on rolled.rolled_to = line.id)
    select cast(${spent} as bigint) from line join jobs on jobs.key_id = line.id
    where ${counts} and (line.until is null or line.until >= (
      select entries.created_at from entries where entries.job_id = jobs.id and kind = 'reserve'))`;
}

/** A subject whose id may also be an SQL expression, such as a column. */
interface Owner {
  kind: Subject['kind'];
  id: string | RawBuilder<unknown>;
}

function isOf({ kind, id }: Owner) {
  return sql<boolean>`${sql.ref(ownerColumns[kind])} = ${id}`;
}

/**
 * The condition for an owner's waiting jobs. It lists all models, so that the check at a job's creation can use the
 * index for claims.
 */
export function isWaitingOf(owner: Owner) {
  const { kind, id } = owner;
  const account = kind === 'account' ? sql`${id}` : sql`(select account_id from api_keys where id = ${id})`;
  return sql<boolean>`${isWaiting} and model in (select distinct model from model_versions)
    and account_id = ${account} and ${isOf(owner)}`;
}

interface LimitRow<Of> {
  subject_id: string;
  subject: Subject['kind'];
  meter: Of;
  most: number | null;
  is_default: number;
  used: number;
  starts_at: number;
  told: number;
  reached_told: number | null;
}

function toLimit<Of extends Meter>(row: LimitRow<Of>): Limit<Of> {
  const { subject_id, subject, meter, most, is_default, used, starts_at, told, reached_told } = row;
  return {
    subject: { kind: subject, id: subject_id },
    meter,
    most: most === null ? null : BigInt(most),
    isDefault: is_default === 1,
    used: BigInt(used),
    startsAt: starts_at,
    told: { near: told === 1, reached: reached_told === starts_at },
  };
}
