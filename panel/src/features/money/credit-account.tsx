import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { amount as formatted } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { once } from '../jobs/idempotency.ts';
import { wrongAmount } from './amount.ts';

export function CreditAccount(props: { account: OperatorAccount; opened: boolean; onClose: () => void }) {
  return (
    <Dialog title={`Credit ${props.account.name}`} opened={props.opened} onClose={props.onClose}>
      <CreditForm account={props.account} onClose={props.onClose} />
    </Dialog>
  );
}

function CreditForm({ account, onClose }: { account: OperatorAccount; onClose: () => void }) {
  const { currency } = useSession();
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const call = 'POST /admin/v1/accounts/:account/credits';
  const credit = useSend(
    call,
    ['GET /admin/v1/accounts', 'GET /admin/v1/accounts/:account', 'GET /api/v1/balance'],
    (input) => once(input, (idempotencyKey) => send(call, input, { idempotencyKey })),
  );
  const served = fieldErrors(credit.error);
  const wrong = {
    amount: wrongAmount(amount),
    reason: reason.trim() === '' ? t('The reason appears in the ledger and the audit log') : undefined,
  };
  const submit = () => {
    setTried(true);
    if (wrong.amount || wrong.reason) return;
    credit.mutate(
      { params: { account: account.account_id }, body: { amount: amount.trim(), reason: reason.trim() } },
      { onSuccess: onClose },
    );
  };
  return (
    <DialogForm action="Credit account" sending={credit} onSubmit={submit} onClose={onClose}>
      <p className="soft">
        It has {formatted(account.available)} available. Entries of the ledger cannot be taken back.
      </p>
      <AmountField
        label={`Amount, ${currency}`}
        data-autofocus
        value={amount}
        error={(tried && wrong.amount) || served['/amount']}
        onChange={setAmount}
      />
      <TextInput
        label="Reason"
        placeholder="Invoice 2026-118"
        maxLength={200}
        value={reason}
        error={(tried && wrong.reason) || served['/reason']}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
