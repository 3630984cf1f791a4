import type { Dialect } from './dialect.ts';

const maxMicros = 9_000_000_000_000_000n;
const known = `kind in ('credit', 'debit', 'reserve', 'capture', 'release')`;
const jobs = `(kind in ('credit', 'debit')) = (job_id is null)`;
const corrections = `corrects is null or kind = 'debit'`;

/** Adds debits and payment references. SQLite cannot change a CHECK, so the table is created again. */
export function debits(dialect: Dialect): string[] {
  return [
    ...(dialect.kind === 'postgres' ? changed : madeAnew(dialect)),
    'create unique index entries_by_reference on entries (account_id, reference) where reference is not null',
  ];
}

const changed = [
  'alter table entries add column reference text',
  'alter table entries add column corrects bigint',
  'alter table entries drop constraint entries_kind_check',
  'alter table entries drop constraint only_credit_is_without_job',
  `alter table entries add constraint entries_kind_check check (${known})`,
  `alter table entries add constraint entries_of_jobs check (${jobs})`,
  `alter table entries add constraint debits_correct check (${corrections})`,
];

function madeAnew({ int, uuid, serial, strict, rejectChange }: Dialect): string[] {
  return [
    `create table entries_with_debits (
      id ${serial},
      account_id ${uuid} not null references accounts (id),
      job_id ${uuid},
      kind text not null check (${known}),
      amount_micros ${int} not null check (amount_micros between 0 and ${maxMicros}),
      reason text,
      created_at ${int} not null,
      model text,
      reference text,
      corrects ${int},
      constraint entries_of_jobs check (${jobs}),
      constraint debits_correct check (${corrections})
    ) ${strict}`,
    `insert into entries_with_debits (id, account_id, job_id, kind, amount_micros, reason, created_at, model)
      select id, account_id, job_id, kind, amount_micros, reason, created_at, model from entries order by id`,
    'drop table entries',
    'alter table entries_with_debits rename to entries',
    `create unique index entries_one_reserve on entries (job_id) where kind = 'reserve'`,
    `create unique index entries_one_settlement on entries (job_id) where kind in ('capture', 'release')`,
    'create index entries_by_account on entries (account_id, id)',
    ...rejectChange('entries', 'update', 'true', 'entries are never changed'),
    ...rejectChange('entries', 'delete', 'true', 'entries are never deleted'),
  ];
}
