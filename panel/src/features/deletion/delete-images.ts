import type { Job } from '@darkroom/server/panel-contract';
import { useQueryClient } from '@tanstack/react-query';
import { useAccountId } from '../../api/account.ts';
import { updateJobs } from '../../api/live-jobs.ts';
import { send } from '../../api/send.ts';
import { holdDeletion } from './held-deletion.ts';

/** Deletes jobs' images, prompts and inputs, unless the person undoes this in time. */
export function useDeleteImages() {
  const client = useQueryClient();
  const account_id = useAccountId();
  return (jobIds: string[]) =>
    holdDeletion(jobIds, async () => {
      const input = { params: { account_id }, body: { job_ids: jobIds } };
      // The request must continue if the page closes.
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
