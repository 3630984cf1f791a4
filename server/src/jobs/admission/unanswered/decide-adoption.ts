import type { Unanswered } from './unanswered-store.ts';

/**
 * Lists the earlier identical requests whose jobs a new request may get, in the order to try them: first those whose
 * client or process is gone, then those whose client is still waiting but has a lower retry count.
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
