/** Indexes operators' credits and debits: these are few among the entries of jobs, and are read across all accounts. */
export function entriesOfOperators(): string[] {
  return ['create index entries_of_operators on entries (created_at) where job_id is null'];
}
