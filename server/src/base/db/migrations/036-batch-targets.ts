/** Adds the address that is notified of the end of a batch, instead of the account's endpoints. */
export function batchTargets(): string[] {
  return ['alter table batches add column callback_url text'];
}
