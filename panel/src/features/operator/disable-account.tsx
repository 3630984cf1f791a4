import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

/** Asks the operator to type the account's name, because disabling stops the whole account. */
export function DisableAccount(props: { account: OperatorAccount; opened: boolean; onClose: () => void }) {
  const { account, onClose } = props;
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const disable = useSend('POST /admin/v1/accounts/:account/disable', [
    'GET /admin/v1/accounts',
    'GET /admin/v1/accounts/:account',
    'GET /panel/session',
  ]);
  const why =
    reason.trim() === ''
      ? t('Give a reason first.')
      : typed !== account.name
        ? t('Type the name of the account.')
        : undefined;
  return (
    <Dialog title={`Disable ${account.name}?`} opened={props.opened} onClose={onClose}>
      <p>Its keys are refused and nothing new is accepted. Jobs under way finish and are settled.</p>
      <ProblemAlert error={disable.error} />
      <TextInput
        label="Reason"
        data-autofocus
        maxLength={200}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <TextInput
        label={`Type ${account.name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <div className="row">
        <ActionButton
          color="failure"
          why={why}
          loading={disable.isPending}
          onClick={() =>
            disable.mutate(
              { params: { account: account.account_id }, body: { reason: reason.trim() } },
              { onSuccess: onClose },
            )
          }
        >
          Disable account
        </ActionButton>
        <Button variant="default" onClick={onClose}>
          Keep
        </Button>
      </div>
    </Dialog>
  );
}
