/** Indexes operators' credits and debits: few entries among those of jobs, and read over all accounts. */
export function entriesOfOperators(): string[] {
  return ['create index entries_of_operators on entries (created_at) where job_id is null'];
}
