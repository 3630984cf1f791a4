import type { Job } from '@darkroom/server/panel-contract';
import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useAccountId } from '../../api/account.ts';
import { updateJobs } from '../../api/live-jobs.ts';
import { send } from '../../api/send.ts';
import { holdDeletion } from '../deletion/held-deletion.ts';

export interface Marks {
  add?: string[];
  remove?: string[];
  starred?: boolean;
}

const mutationKey = ['mark'];
/** How long it is said that a mark was not made, once nothing on the page makes any. */
const saidMs = 10_000;

/** Tags and stars jobs, and shows it wherever they are shown; `useMarkError` says what was not done. */
export function useMark() {
  const client = useQueryClient();
  const accountId = useAccountId();
  return useMutation({
    ...{ mutationKey, gcTime: saidMs },
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

/** Why the last mark was not made, wherever on the page it was asked for: mostly by a key. */
export function useMarkError(): unknown {
  return useMutationState({ filters: { mutationKey }, select: ({ state }) => state.error }).at(-1);
}

/** Deletes the pictures of jobs, their prompts and their inputs, unless it is undone in time. */
export function useDeleteImages() {
  const client = useQueryClient();
  const account_id = useAccountId();
  return (jobIds: string[]) =>
    holdDeletion(jobIds, async () => {
      const input = { params: { account_id }, body: { job_ids: jobIds } };
      // The page may be on its way out.
      const { deleted } = await send('POST /api/v1/jobs/delete-images', input, { keepalive: true });
      updateJobs(client, account_id, deleted, (job) => ({ ...job, result: withoutLink(job), prompt: '' }));
      for (const call of ['overview', 'jobs/:job_id'] as const)
        void client.invalidateQueries({ queryKey: [`GET /panel/accounts/:account_id/${call}`] });
    });
}

function withoutLink({ result }: Job): Job['result'] {
  if (!result) return null;
  const { image_url: _, thumbnail_url: __, ...kept } = result;
  return { ...kept, thumbhash: null };
}
