/** While both kinds wait, one in this many jobs of an account comes from a batch. */
const batchTurn = 4;
/** While suspects and other jobs wait, a job that is no suspect goes first in one of this many turns. */
const othersTurn = 3;

/**
 * Whether the oldest job of an account's batches goes before its oldest other job. A job from before the batch always
 * goes first, and so do three of four later jobs. The draw depends on both ids, so all processes draw alike without
 * memory. A batch advances no matter how many other jobs arrive.
 */
export function batchGoesFirst(
  batchId: string,
  otherId: string,
  drawn = drawOf(batchId) + drawOf(otherId),
): boolean {
  return batchId < otherId && drawn % batchTurn === 0;
}

/**
 * Whether a job suspected of killing workers goes before another job. Suspects get most turns: while workers keep
 * dying, more and more jobs are suspects with short turns, and as only suspects have started, only their time runs out.
 * The draw needs no memory, which a dying worker would lose: in three losses of a suspect, each other job goes first
 * once.
 */
export function suspectGoesFirst(suspect: { id: string; losses: number }, otherId: string): boolean {
  return (drawOf(suspect.id) + suspect.losses + drawOf(otherId)) % othersTurn !== 0;
}

function drawOf(id: string): number {
  return Number.parseInt(id.slice(-2), 16) || 0;
}
