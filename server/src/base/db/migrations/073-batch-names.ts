/** Adds the name of a batch; null where its client gave none. */
export function batchNames(): string[] {
  return ['alter table batches add column name text'];
}
