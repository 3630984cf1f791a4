import type { Dialect } from './dialect.ts';

/** Request files of OpenAI's batch API, and how their batches are answered. */
export function batchFiles({ int, uuid, strict }: Dialect): string[] {
  return [
    `create table batch_files (
      id ${uuid} primary key,
      account_id ${uuid} not null references accounts (id),
      name text not null,
      bytes ${int} not null,
      created_at ${int} not null
    ) ${strict}`,
    'create index batch_files_by_account on batch_files (account_id, id)',
    `create table batch_sources (
      batch_id ${uuid} primary key references batches (id) on delete cascade,
      file_id ${uuid} not null,
      call text not null,
      metadata text,
      answers text not null
    ) ${strict}`,
  ];
}
