import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAccount, useAccountId } from '../../api/account.ts';
import { send } from '../../api/send.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { useIdempotency } from '../jobs/idempotency.ts';
import classes from './bulk-bar.module.css';
import type { Selection } from './selection.ts';

/** What can be done with everything that is selected. */
export function BulkBar({ selection, children }: { selection: Selection; children?: ReactNode }) {
  const accountId = useAccountId();
  const disabled = useAccount()?.disabled ?? false;
  const once = useIdempotency();
  const count = selection.ids.size;
  const again = useMutation({
    mutationFn: async () => {
      for (const job_id of selection.ids) {
        const params = { account_id: accountId, job_id };
        await once(params, (idempotencyKey) =>
          send('POST /panel/accounts/:account_id/jobs/:job_id/again', { params }, { idempotencyKey }),
        );
      }
    },
    onSuccess: selection.clear,
  });
  if (count === 0) return null;
  return (
    <div className={classes.dock}>
      <ProblemAlert error={again.error} />
      <section className={classes.bar} aria-label="Selected jobs">
        <span className="number nowrap strong" role="status">
          {count} selected
        </span>
        <div className={classes.actions}>
          {children}
          <ActionButton
            size="compact-sm"
            variant="default"
            why={disabled ? 'This account is disabled.' : undefined}
            loading={again.isPending}
            onClick={() => again.mutate()}
          >
            Run again
          </ActionButton>
          <Button size="compact-sm" variant="default" onClick={() => selection.clear()}>
            Clear
          </Button>
        </div>
      </section>
    </div>
  );
}
