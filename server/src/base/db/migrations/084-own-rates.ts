import type { Dialect } from './dialect.ts';

/** What operators say that models are charged for; each change is a row, and nothing is deleted. `rates`: JSON; null: none of their own. */
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
