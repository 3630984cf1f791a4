import type { JobDetail } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { paths } from '../../paths.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useGo } from '../../ui/link.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { useIdempotency } from './idempotency.ts';

/** The actions available for a job in its current state. */
export function JobActions({ job }: { job: JobDetail }) {
  const accountId = useAccountId();
  const params = { account_id: accountId, job_id: job.job_id };
  const disabled = useAccount()?.disabled ?? false;
  const once = useIdempotency();
  const go = useGo();
  const again = useMutation({
    mutationFn: () =>
      once(params, (idempotencyKey) =>
        send('POST /panel/accounts/:account_id/jobs/:job_id/again', { params }, { idempotencyKey }),
      ),
    onSuccess: (answer) => go(paths.job(accountId, answer.job_id)),
  });
  const cancel = useSend('POST /panel/accounts/:account_id/jobs/:job_id/cancel', [
    'GET /panel/accounts/:account_id/jobs/:job_id',
  ]);
  return (
    <>
      <ProblemAlert error={again.error ?? cancel.error} />
      {job.image_url && (
        <Button component="a" variant="default" href={job.image_url} download={`${job.job_id}.png`}>
          Download
        </Button>
      )}
      {job.image_url && (
        <Button variant="default" onClick={() => go(paths.playground(accountId, { input: job.job_id }))}>
          Use as input
        </Button>
      )}
      <Button variant="default" onClick={() => go(paths.playground(accountId, { from: job.job_id }))}>
        Edit and run
      </Button>
      {job.cancellable ? (
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ params })}>
          Cancel
        </Button>
      ) : (
        <ActionButton
          why={disabled ? 'This account is disabled.' : undefined}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          Run again
        </ActionButton>
      )}
    </>
  );
}
