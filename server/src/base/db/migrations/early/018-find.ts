import type { Dialect } from '../dialect.ts';
import { letNoTerminalJobChange, settled } from './017-pictures.ts';

/** Columns by which jobs are found. `jobs/search` writes the words later, so that creating a job takes no longer. */
export function find(dialect: Dialect): string[] {
  const { kind, int, uuid, serial, strict, clustered } = dialect;
  return [
    'alter table jobs add column metadata text',
    `alter table jobs add column origin_job_id ${uuid}`,
    `alter table jobs add column origin_kind text check (origin_kind in ('input', 'again', 'edit'))`,
    'create index jobs_by_origin on jobs (origin_job_id, id) where origin_job_id is not null',
    ...letNoTerminalJobChange(dialect, [...settled, 'metadata', 'origin_job_id', 'origin_kind']),
    `create table job_metadata (
      account_id ${uuid} not null,
      key text not null,
      value text not null,
      job_id ${uuid} not null,
      primary key (account_id, key, value, job_id)
    ) ${clustered}`,
    'create index job_metadata_by_job on job_metadata (job_id)',
    `create table job_tags (
      account_id ${uuid} not null,
      tag text not null,
      job_id ${uuid} not null,
      primary key (account_id, tag, job_id)
    ) ${clustered}`,
    'create index job_tags_by_job on job_tags (job_id)',
    `create table job_stars (
      account_id ${uuid} not null,
      job_id ${uuid} not null,
      primary key (account_id, job_id)
    ) ${clustered}`,
    'create index job_stars_by_job on job_stars (job_id)',
    // Each account's last entry whose job already has its words in `job_words`.
    `create table word_progress (
      number ${serial},
      account_id ${uuid} not null unique references accounts (id),
      entry_id ${int} not null,
      jobs ${int} not null
    ) ${strict}`,
    ...words[kind],
  ];
}

/** A row has the number of the entry that reserved the job's price: an account's entries are numbered in time order. */
const words = {
  sqlite: [
    `create virtual table job_words using fts5 (
      words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '.'"
    )`,
  ],
  // `fastupdate` is off: words are written in batches, so its list of pending entries would only slow each search.
  postgres: [
    'create table job_words (rowid bigint primary key, words tsvector not null)',
    'create index job_words_by_word on job_words using gin (words) with (fastupdate = off)',
  ],
};
