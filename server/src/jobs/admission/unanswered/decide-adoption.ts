import type { Unanswered } from './unanswered-store.ts';

/**
 * Lists the earlier identical requests that a new request may repeat, in the order to try. Those whose client has left
 * or whose process has ended come first. Waiting ones follow if the new request has a higher retry count; otherwise
 * identical requests are answered separately. A process that ended before admission left no jobs.
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
