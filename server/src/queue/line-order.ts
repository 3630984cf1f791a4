/** While both wait, one of so many jobs of a line is of a batch. */
const batchTurn = 4;

/**
 * Whether the oldest job of an account's batches goes before its oldest other job of the model. One that was there before the
 * batch always goes first; of those that came later, three of four. Each time it is drawn from both ids, so that it is the same in
 * all processes and needs no memory, and a batch goes on however many others come.
 */
export function batchGoesFirst(
  batchId: string,
  otherId: string,
  drawn = drawOf(batchId) + drawOf(otherId),
): boolean {
  return batchId < otherId && drawn % batchTurn === 0;
}

function drawOf(id: string): number {
  return Number.parseInt(id.slice(-2), 16) || 0;
}
