import { type RawBuilder, sql } from 'kysely';
import { returnedReference, voucherReference } from '../../accounts/references.ts';
import type { Queries } from '../../base/db/schema.ts';
import { uncountedCaptures } from '../costs/margin-facts-store.ts';
import { dayMs } from '../read-days.ts';

/**
 * `sold`: credits with a payment reference. `given`: credits with only a reason. `refunded`: debits with a reference or
 * for sold credit, less credits for failed refunds. `taken`: other debits.
 */
export const movements = ['sold', 'voucher', 'given', 'refunded', 'taken', 'captured'] as const;
export type Movement = (typeof movements)[number];

export interface MovementSum {
  /** Days since the epoch, UTC. */
  day: number;
  kind: Movement;
  /** The model of captures; null if it is no longer known. */
  model: string | null;
  count: number;
  changeMicros: bigint;
}

/** Sums the changes of all balances by day. Earlier changes are one sum, dated the day before the first day. */
export async function sumMovements(
  queries: Queries,
  { first, last }: { first: number; last: number },
): Promise<MovementSum[]> {
  const before = sql.lit(first - 1);
  const facts = sql`${operatorFacts(last)}
    union all select ${before}, 'captured', '', sum(images), -sum(revenue_micros) from margins where day < ${first}
    union all select day, 'captured', model, sum(images), -sum(revenue_micros) from margins
      where day >= ${first} and day <= ${last} group by day, model
    union all select day, 'captured', model, 1, -revenue_micros from (${uncountedCaptures()}) as uncounted
      where day <= ${last}`;
  const { rows } = await sql<Row>`select day, kind, model, sum(entries) as entries, sum(change) as change
    from (select case when day < ${first} then ${before} else day end as day, kind, model, entries, change
      from (${facts}) as facts where entries > 0) as facts
    group by day, kind, model`.execute(queries);
  return rows.map(({ day, kind, model, entries, change }) => ({
    ...{ day: Number(day), kind, model: model === '' ? null : model },
    ...{ count: Number(entries), changeMicros: BigInt(change) },
  }));
}

interface Row {
  day: number | string;
  kind: Movement;
  model: string;
  entries: number | string;
  change: number | string | bigint;
}

function operatorFacts(last: number): RawBuilder<unknown> {
  const begins = (entry: string, reference: string) =>
    sql`substr(${sql.ref(`${entry}.reference`)}, 1, ${sql.lit(reference.length)}) = ${sql.lit(reference)}`;
  return sql`select entries.created_at / ${sql.lit(dayMs)} as day,
      case when entries.kind = 'credit' and entries.reference is null then 'given'
        when entries.kind = 'credit' and ${begins('entries', voucherReference)} then 'voucher'
        when entries.kind = 'credit' and ${begins('entries', returnedReference)} then 'refunded'
        when entries.kind = 'credit' then 'sold'
        when entries.reference is not null then 'refunded'
        when corrected.reference is not null and not ${begins('corrected', voucherReference)} then 'refunded'
        else 'taken' end as kind,
      '' as model, 1 as entries,
      case when entries.kind = 'credit' then entries.amount_micros else -entries.amount_micros end as change
    from entries left join entries as corrected on corrected.id = entries.corrects
    where entries.job_id is null and entries.created_at < ${(last + 1) * dayMs}`;
}

/** Sums the balances of erased accounts, which are in the ledger but cannot be spent. */
export async function sumErased(queries: Queries): Promise<bigint> {
  const { left } = await queries
    .selectFrom('accounts')
    .select(({ fn }) => fn.sum<string | null>('balance_micros').as('left'))
    .where('erased_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return BigInt(left ?? 0);
}

export async function findFirstAccountTime(queries: Queries): Promise<number | undefined> {
  const { first } = await queries
    .selectFrom('accounts')
    .select(({ fn }) => fn.min<number | null>('created_at').as('first'))
    .executeTakeFirstOrThrow();
  return first === null ? undefined : Number(first);
}
