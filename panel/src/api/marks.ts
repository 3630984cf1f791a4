import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useAccountId } from './account.ts';
import { updateJobs } from './live-jobs.ts';
import { send } from './send.ts';

export interface Marks {
  add?: string[];
  remove?: string[];
  starred?: boolean;
}

const mutationKey = ['mark'];
/** How long the error of the last mark stays visible. */
const saidMs = 10_000;

/** Tags and stars jobs, and updates them everywhere; `useMarkError` has the error. */
export function useMark() {
  const client = useQueryClient();
  const accountId = useAccountId();
  return useMutation({
    ...{ mutationKey, gcTime: saidMs },
    // Marks are sent one after the other, because a mark and its undoing could otherwise arrive in either order.
    scope: { id: 'marks' },
    mutationFn: ({ jobIds, ...marks }: Marks & { jobIds: string[] }) =>
      send('POST /api/v1/jobs/tags', {
        params: { account_id: accountId },
        body: { job_ids: jobIds, ...marks },
      }),
    onSuccess: ({ data }) => {
      for (const { job_id, ...marks } of data)
        updateJobs(client, accountId, [job_id], (job) => ({ ...job, ...marks }));
      void client.invalidateQueries({ queryKey: ['GET /api/v1/tags'] });
    },
  });
}

/** The error of the last mark. Most marks come from keys, next to which no error can be shown. */
export function useMarkError(): unknown {
  return useMutationState({ filters: { mutationKey }, select: ({ state }) => state.error }).at(-1);
}
