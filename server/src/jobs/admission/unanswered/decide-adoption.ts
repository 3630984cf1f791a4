import type { Unanswered } from './unanswered-store.ts';

/**
 * Lists which equal requests a new one may repeat, in the order to try: those whose client has left or whose process
 * has ended, then those still waiting, if the client's retry count is above theirs. Otherwise two equal requests at the
 * same time are two orders. A process that ended before admission left no jobs.
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
