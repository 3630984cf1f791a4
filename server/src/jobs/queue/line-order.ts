/** While both kinds wait, one of this many jobs of a line is of a batch. */
const batchTurn = 4;
/** While both wait, other jobs go first one time in this many. */
const othersTurn = 3;

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
 * suspects, and each of their turns is short: the others would wait for as long as that lasts. But only suspects have begun, so that
 * their time runs, and a turn of the others is one of many jobs: suspects get the most. It needs no memory, which a worker that
 * dies would lose: of three losses of a suspect, each other job goes before it after one.
 */
export function suspectGoesFirst(suspect: { id: string; losses: number }, otherId: string): boolean {
  return (drawOf(suspect.id) + suspect.losses + drawOf(otherId)) % othersTurn !== 0;
}

function drawOf(id: string): number {
  return Number.parseInt(id.slice(-2), 16) || 0;
}
