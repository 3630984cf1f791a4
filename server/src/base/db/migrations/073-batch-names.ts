/** Adds a batch's name; null if its client gave none. */
export function batchNames(): string[] {
  return ['alter table batches add column name text'];
}
