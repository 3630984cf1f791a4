import type { Unanswered } from './unanswered-store.ts';

/**
 * Lists the earlier identical requests that a new one may repeat, in the order to try: first those whose client or
 * process is gone, then, if the new request has a higher retry count, those that wait.
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
