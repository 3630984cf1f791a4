/** While both kinds wait, one in this many of an account's jobs comes from a batch. */
const batchTurn = 4;
/** While suspects and other jobs wait, the other jobs go first in one of this many turns. */
const othersTurn = 3;

/**
 * Whether the oldest job of an account's batches goes before its oldest other job. A job older than the batch always
 * goes first, and so do three of four later jobs. The draw depends only on both ids, so all processes draw alike. A
 * batch advances however many other jobs arrive.
 */
export function batchGoesFirst(
  batchId: string,
  otherId: string,
  drawn = drawOf(batchId) + drawOf(otherId),
): boolean {
  return batchId < otherId && drawn % batchTurn === 0;
}

/**
 * Whether a job suspected of killing workers goes before another job. Suspects get most turns, because while workers
 * keep dying, more and more jobs are suspects, and only the time of started jobs runs out. The draw uses no memory,
 * which a dying worker would lose. In three losses of a suspect, each other job goes first once.
 */
export function suspectGoesFirst(suspect: { id: string; losses: number }, otherId: string): boolean {
  return (drawOf(suspect.id) + suspect.losses + drawOf(otherId)) % othersTurn !== 0;
}

function drawOf(id: string): number {
  return Number.parseInt(id.slice(-2), 16) || 0;
}
