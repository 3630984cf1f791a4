import type { Dialect } from './dialect.ts';

/** Limits and their use. Use is counted here, because summing a month's jobs for each new job would take too long. */
export function limits({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table limits (
      subject_id ${uuid} not null,
      subject text not null check (subject in ('account', 'key', 'client_token')),
      meter text not null check (meter in ('hour', 'day', 'month', 'total', 'open', 'second', 'minute')),
      most ${int} not null check (most between 0 and 9007199254740991),
      used ${int} not null check (used >= 0),
      starts_at ${int} not null,
      primary key (subject_id, meter)
    ) ${clustered}`,
    'alter table api_keys add column networks text',
  ];
}
