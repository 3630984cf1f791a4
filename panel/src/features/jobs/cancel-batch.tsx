import type { AnswerOf } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useAccount, useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { announce } from '../../ui/announce.tsx';
import { Confirm } from '../../ui/dialog/confirm.tsx';

type Batch = AnswerOf<'GET /api/v1/batches/:batch_id'>;

export function CancelBatch({ batch: { batch_id, counts } }: { batch: Batch }) {
  const params = { account_id: useAccountId(), batch_id };
  const mayCancel = useAccount()?.rights.includes('make_pictures') ?? false;
  const [asking, setAsking] = useState(false);
  const cancel = useSend('POST /api/v1/batches/:batch_id/cancel', [
    'GET /api/v1/batches/:batch_id',
    'GET /panel/accounts/:account_id/batches',
    'GET /api/v1/jobs',
  ]);
  const left = counts.queued + counts.processing;
  const close = () => {
    setAsking(false);
    cancel.reset();
  };
  return (
    <>
      <ActionButton
        variant="default"
        why={mayCancel ? undefined : 'Your role may not cancel jobs.'}
        onClick={() => setAsking(true)}
      >
        Cancel the rest…
      </ActionButton>
      <Confirm
        title="Cancel the rest of this batch?"
        opened={asking}
        onClose={close}
        action={t('{left, plural, one {Cancel # job} other {Cancel # jobs}}', { left })}
        error={cancel.error}
        pending={cancel.isPending}
        onConfirm={() =>
          cancel.mutate(
            { params },
            {
              onSuccess() {
                announce(t('The rest of the batch is being cancelled'));
                close();
              },
            },
          )
        }
      >
        Jobs that are queued or processing fail as cancelled, and their price is released. What is done stays.
      </Confirm>
    </>
  );
}
