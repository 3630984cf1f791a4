import type { Dialect } from './dialect.ts';

/**
 * Alerts about margins that operators were sent, with the last time each was found true; and data of emails whose kind
 * needs more than a name.
 */
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
