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
const saidMs = 10_000;

export function useMark() {
  const client = useQueryClient();
  const accountId = useAccountId();
  return useMutation({
    ...{ mutationKey, gcTime: saidMs },
    // Sends marks one after the other. Otherwise the server could receive a mark after the request that undoes it.
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

export function useMarkError(): unknown {
  return useMutationState({ filters: { mutationKey }, select: ({ state }) => state.error }).at(-1);
}
