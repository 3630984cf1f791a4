/** While an account has both batch jobs and other jobs waiting, one in this many of its jobs comes from a batch. */
const batchTurn = 4;
/** While suspects and other jobs wait, the other jobs go first in one out of this many turns. */
const othersTurn = 3;

/** Whether a batch job goes before another job: if it is older, in one of four draws. All processes draw alike. */
export function batchGoesFirst(
  batchId: string,
  otherId: string,
  drawn = drawOf(batchId) + drawOf(otherId),
): boolean {
  return batchId < otherId && drawn % batchTurn === 0;
}

/**
 * Whether a suspect goes before another job. Suspects get most turns, because while workers keep dying, more jobs
 * become suspects. The draw keeps no state, which would be lost with a dying worker.
 */
export function suspectGoesFirst(suspect: { id: string; losses: number }, otherId: string): boolean {
  return (drawOf(suspect.id) + suspect.losses + drawOf(otherId)) % othersTurn !== 0;
}

function drawOf(id: string): number {
  return Number.parseInt(id.slice(-2), 16) || 0;
}
