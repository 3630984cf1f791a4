/** Where the end of a batch is told, instead of the account's endpoints. */
export function batchTargets(): string[] {
  return ['alter table batches add column callback_url text'];
}
