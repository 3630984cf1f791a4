/** While both kinds wait, one of this many jobs of a line is of a batch. */
const batchTurn = 4;
/** While both wait, other jobs go first one time in this many. */
const othersTurn = 3;

/**
 * Whether the oldest job of an account's batches goes before its oldest other job of the model. A job from before the
 * batch always goes first, and three of four later ones do. The draw is made from both ids, so that it is the same in
 * all processes and needs no memory, and a batch advances however many others come.
 */
export function batchGoesFirst(
  batchId: string,
  otherId: string,
  drawn = drawOf(batchId) + drawOf(otherId),
): boolean {
  return batchId < otherId && drawn % batchTurn === 0;
}

/**
 * Whether a suspect of workers' deaths goes before another job. While workers keep dying, more and more jobs are
 * suspects, and each of their turns is short, so other jobs would wait until it stops. But only suspects have begun, so
 * their time runs, and a turn of the others is one job among many: suspects get the most turns. It needs no memory,
 * which a dying worker would lose: of three losses of a suspect, each other job goes first after one.
 */
export function suspectGoesFirst(suspect: { id: string; losses: number }, otherId: string): boolean {
  return (drawOf(suspect.id) + suspect.losses + drawOf(otherId)) % othersTurn !== 0;
}

function drawOf(id: string): number {
  return Number.parseInt(id.slice(-2), 16) || 0;
}
