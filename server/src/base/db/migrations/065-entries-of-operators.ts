/** What operators credit and debit: few among the entries of jobs, and read of all accounts together. */
export function entriesOfOperators(): string[] {
  return ['create index entries_of_operators on entries (created_at) where job_id is null'];
}
