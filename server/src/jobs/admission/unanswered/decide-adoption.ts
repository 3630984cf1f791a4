import type { Unanswered } from './unanswered-store.ts';

/**
 * Which of the same requests a new one may repeat, in the order in which they are tried: those whose client has left or whose process
 * has ended, then those that still wait, where the client says that it repeats and nobody has repeated them so often. Otherwise two
 * equal requests at the same time are two wishes. What a process had not admitted when it ended has no jobs.
 */
export function decideAdoption(
  same: readonly Unanswered[],
  repeats: number,
  running: ReadonlySet<string>,
): Unanswered[] {
  const isLeft = ({ waiter, process }: Unanswered) => waiter === null || !running.has(process);
  const waiting = same.filter((one) => !isLeft(one) && one.repeats < repeats);
  return [...same.filter(isLeft), ...waiting].filter((one) => one.isAdmitted || running.has(one.process));
}
