import type { Dialect } from './dialect.ts';

/** Operators' own rates for models, with a row for each change. `rates` is JSON; null restores the vendor's rates. */
export function ownRates({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table own_rates (
      provider text not null,
      model text not null,
      version ${int} not null,
      rates text,
      author_id ${uuid},
      author_name text not null,
      created_at ${int} not null,
      primary key (provider, model, version)
    ) ${clustered}`,
  ];
}
