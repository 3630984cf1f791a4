import type { Unanswered } from './unanswered-store.ts';

/**
 * Lists the earlier identical requests that a new request may repeat, in the order to try. First come those whose
 * client has left or whose process has ended. Then come those that still wait, if the new request's retry count is
 * higher: otherwise, concurrent identical requests are answered separately. A process that ended before admission left
 * no jobs.
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
