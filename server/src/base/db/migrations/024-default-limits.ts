import type { Dialect } from './dialect.ts';

/** Lets limits follow defaults or be lifted. SQLite cannot change a CHECK, so the table is created again. */
export function defaultLimits({ int, uuid, clustered }: Dialect): string[] {
  return [
    `create table limits_of_subjects (
      subject_id ${uuid} not null,
      subject text not null check (subject in ('account', 'key', 'client_token')),
      meter text not null check (meter in
        ('hour', 'day', 'month', 'total', 'open', 'waiting', 'running', 'input', 'second', 'minute')),
      most ${int} check (most between 0 and 9007199254740991),
      is_default ${int} not null check (is_default in (0, 1)),
      used ${int} not null check (used >= 0),
      starts_at ${int} not null,
      primary key (subject_id, meter)
    ) ${clustered}`,
    `insert into limits_of_subjects (subject_id, subject, meter, most, is_default, used, starts_at)
      select subject_id, subject, meter, most, 0, used, starts_at from limits`,
    'drop table limits',
    'alter table limits_of_subjects rename to limits',
    // Every claim reads all limits on running jobs.
    "create index limits_of_running on limits (subject_id) where meter = 'running'",
  ];
}
