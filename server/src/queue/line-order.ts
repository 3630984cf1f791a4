/** While both wait, one of so many jobs of a line is of a batch. */
const batchTurn = 4;
/** While both wait, a worker that could take either takes suspects one of so many times. */
const suspectTurn = 3;

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

/**
 * Whether a suspect of the deaths of workers goes before a job that is none. Where workers die all the time, more and more jobs are
 * suspects, and each of their turns is short: the others would wait for as long as that lasts. It needs no memory, which a worker that
 * dies would lose: either of the two ends or loses a worker, and the next draw is another.
 */
export function suspectGoesFirst(suspectId: string, otherId: string): boolean {
  return (drawOf(suspectId) + drawOf(otherId)) % suspectTurn === 0;
}

function drawOf(id: string): number {
  return Number.parseInt(id.slice(-2), 16) || 0;
}
