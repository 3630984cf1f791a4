import type { Dialect } from './dialect.ts';

/** Margin alerts that operators received, each with the last time it was true. Also adds data to emails. */
export function toldMargins({ int, clustered }: Dialect): string[] {
  return [
    `create table told_margins (
      model text not null,
      alert text not null,
      seen_at ${int} not null,
      primary key (model, alert)
    ) ${clustered}`,
    'alter table outgoing_emails add data text',
  ];
}
