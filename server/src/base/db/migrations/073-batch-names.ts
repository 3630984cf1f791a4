export function batchNames(): string[] {
  return ['alter table batches add column name text'];
}
