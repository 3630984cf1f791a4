/** Indexes operators' credits and debits, which are few compared with jobs' entries and are read across all accounts. */
export function entriesOfOperators(): string[] {
  return ['create index entries_of_operators on entries (created_at) where job_id is null'];
}
