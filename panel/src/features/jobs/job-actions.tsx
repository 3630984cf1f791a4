import type { Job } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { paths } from '../../paths.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useCopy } from '../../ui/copy.tsx';
import { useGo } from '../../ui/link.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { maskModels } from '../models/mask-models.ts';
import { DownloadMenu } from './download-menu.tsx';
import { once } from './idempotency.ts';

export function JobActions({ job, compact = false }: { job: Job; compact?: boolean }) {
  const accountId = useAccountId();
  const params = { account_id: accountId, job_id: job.job_id };
  const disabled = useAccount()?.disabled ?? false;
  const go = useGo();
  const link = useCopy();
  const size = compact ? 'compact-sm' : 'sm';
  const again = useMutation({
    mutationFn: () =>
      once(params, (idempotencyKey) =>
        send('POST /api/v1/jobs/:job_id/again', { params }, { idempotencyKey }),
      ),
  });
  const cancel = useSend('POST /api/v1/jobs/:job_id/cancel', [
    'GET /panel/accounts/:account_id/jobs/:job_id',
  ]);
  const models = useRead('GET /api/v1/models', { params: { account_id: accountId } }).data;
  const canMask = maskModels(models?.data ?? []).length > 0;
  const start = (query: Parameters<typeof paths.make>[1]) => go(paths.make(accountId, query));
  return (
    <>
      <ProblemAlert error={again.error ?? cancel.error} />
      {job.result?.image_url && (
        <>
          <DownloadMenu job={job} size={size} />
          {canMask && (
            <Button size={size} variant="default" onClick={() => go(paths.edit(accountId, job.job_id))}>
              Edit
            </Button>
          )}
          <Button size={size} variant="default" onClick={() => start({ input: job.job_id })}>
            Use as input
          </Button>
          <Button
            size={size}
            variant="default"
            onClick={() => start({ from: job.job_id, input: job.job_id })}
          >
            Vary
          </Button>
        </>
      )}
      {job.prompt !== '' && (
        <Button size={size} variant="default" onClick={() => start({ from: job.job_id })}>
          Change the prompt
        </Button>
      )}
      <Button
        size={size}
        variant="default"
        onClick={() => link.copy(new URL(paths.image(accountId, job.job_id), location.origin).href)}
      >
        {link.copied ? 'Copied' : 'Copy link'}
      </Button>
      {job.finished_at === null ? (
        <Button
          size={size}
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ params })}
        >
          Cancel
        </Button>
      ) : (
        job.prompt !== '' && (
          <ActionButton
            size={size}
            variant="default"
            why={disabled ? 'This account is disabled.' : undefined}
            loading={again.isPending}
            onClick={() =>
              // A callback of `mutate` is not called after the person has gone to another page.
              again.mutate(undefined, { onSuccess: (made) => go(paths.job(accountId, made.job_id)) })
            }
          >
            Run again
          </ActionButton>
        )
      )}
    </>
  );
}
