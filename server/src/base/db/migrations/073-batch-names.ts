/** What people call a batch; null where they did not say. */
export function batchNames(): string[] {
  return ['alter table batches add column name text'];
}
