import { sql } from 'kysely';
import { isDone } from '../base/db/job-predicates.ts';
import type { Queries } from '../base/db/schema.ts';
import type { ModelId } from '../upstream/catalog/models.ts';
import { idPages } from './activity-store.ts';

/** Images of a model that were asked for on one day, over all accounts. */
export interface ModelDay {
  /** Counted since the epoch, UTC. */
  day: number;
  model: ModelId;
  images: number;
  /** What clients paid for them. */
  paidMicros: bigint;
  /** Of the images whose cost upstream is known: their number, what was paid for them, and what they cost. */
  costed: number;
  costedPaidMicros: bigint;
  costMicros: bigint;
}

type Row = Pick<ModelDay, 'day' | 'model' | 'images' | 'costed'> &
  Record<'paid_micros' | 'costed_paid_micros' | 'cost_micros', bigint | string>;

const dayMs = 24 * 60 * 60 * 1000;

export async function sumModelDays(
  queries: Queries,
  period: { fromMs: number; toMs: number },
): Promise<ModelDay[]> {
  const sums = new Map<string, ModelDay>();
  for await (const { first, end } of idPages(queries, period)) {
    const { rows } = await sql<Row>`
      select created_at / ${sql.lit(dayMs)} as day, model, count(*) as images, sum(price_micros) as paid_micros,
        count(cost_micros) as costed, coalesce(sum(cost_micros), 0) as cost_micros,
        coalesce(sum(price_micros) filter (where cost_micros is not null), 0) as costed_paid_micros
      from jobs
      where ${isDone} and id >= ${first} and id < ${end}
        and created_at >= ${period.fromMs} and created_at < ${period.toMs}
      group by 1, 2`.execute(queries);
    for (const row of rows) add(sums, row);
  }
  return [...sums.values()];
}

function add(sums: Map<string, ModelDay>, { day, model, ...row }: Row): void {
  const name = `${day} ${model}`;
  const sum = sums.get(name) ?? emptyDay(day, model);
  sum.images += row.images;
  sum.costed += row.costed;
  sum.paidMicros += BigInt(row.paid_micros);
  sum.costedPaidMicros += BigInt(row.costed_paid_micros);
  sum.costMicros += BigInt(row.cost_micros);
  sums.set(name, sum);
}

function emptyDay(day: number, model: ModelId): ModelDay {
  return { day, model, images: 0, paidMicros: 0n, costed: 0, costedPaidMicros: 0n, costMicros: 0n };
}
