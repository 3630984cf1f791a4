import type { Dialect } from './dialect.ts';

/** Requests accepted together. Outcomes are counted as jobs end, because a batch may have ten thousand jobs. */
export function batches({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table batches (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      jobs ${int} not null check (jobs > 0),
      done ${int} not null default 0 check (done >= 0),
      failed ${int} not null default 0 check (failed >= 0),
      price_micros ${int} not null check (price_micros >= 0),
      charged_micros ${int} not null default 0 check (charged_micros between 0 and price_micros),
      created_at ${int} not null,
      cancelled_at ${int},
      finished_at ${int},
      constraint no_more_ends_than_jobs check (done + failed <= jobs),
      constraint finished_with_its_last_job check ((finished_at is not null) = (done + failed = jobs))
    ) ${strict}`,
    'create index batches_by_account on batches (account_id, id)',
    `alter table jobs add column batch_id ${uuid}`,
    `alter table jobs add column batch_index ${int}`,
    'create index jobs_by_batch on jobs (batch_id, batch_index) where batch_id is not null',
  ];
}
