import type { Dialect } from './dialect.ts';

/** Keeps the alerts of margins that operators were sent, with when each was last found to stand; and what an email says, for kinds that need more than their name. */
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
