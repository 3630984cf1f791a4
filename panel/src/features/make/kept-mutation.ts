import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { isUnreachable } from '../../api/problem.ts';

/** The pause before the next attempt to reach a server that is down. */
export const resendMs = 3_000;

/**
 * Repeats a request until the server answers or the person gives up. `run` must be safe to repeat. It must check
 * `isGivenUp` before it does anything that costs money.
 */
export function useKeptMutation<Wanted extends object>(
  run: (wanted: Wanted, isGivenUp: () => boolean) => Promise<void>,
) {
  const givenUp = useRef(new WeakSet<Wanted>());
  const sending = useMutation({
    mutationFn: async (wanted: Wanted) => {
      const isGivenUp = () => givenUp.current.has(wanted);
      if (!isGivenUp()) await run(wanted, isGivenUp);
    },
    retry: (_, error) => isUnreachable(error),
    retryDelay: resendMs,
  });
  const { variables, failureReason, isPending, reset } = sending;
  return {
    ...sending,
    /** True while the server is down and the request waits for it. */
    isKept: isPending && isUnreachable(failureReason),
    giveUp: () => {
      if (variables) givenUp.current.add(variables);
      reset();
    },
  };
}
