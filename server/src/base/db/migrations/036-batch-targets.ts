export function batchTargets(): string[] {
  return ['alter table batches add column callback_url text'];
}
