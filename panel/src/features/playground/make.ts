import type { PlaygroundRequest } from '@darkroom/server/panel-contract';
import { useMutation } from '@tanstack/react-query';
import { useAccountId } from '../../api/account.ts';
import { send } from '../../api/send.ts';
import { useIdempotency } from '../jobs/idempotency.ts';

/** Makes pictures, each request once, however often it has to be sent. */
export function useMake(onMade: (jobIds: string[]) => void) {
  const accountId = useAccountId();
  const once = useIdempotency();
  return useMutation({
    mutationFn: (body: PlaygroundRequest) => {
      const input = { params: { account_id: accountId }, body };
      return once(body, (idempotencyKey) =>
        send('POST /panel/accounts/:account_id/jobs', input, { idempotencyKey }),
      );
    },
    onSuccess: ({ job_ids }) => onMade(job_ids),
  });
}
