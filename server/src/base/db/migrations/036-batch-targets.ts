/** Adds the address to which the end of a batch is reported, instead of to the account's endpoints. */
export function batchTargets(): string[] {
  return ['alter table batches add column callback_url text'];
}
