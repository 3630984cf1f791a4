import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { once } from '../jobs/idempotency.ts';
import { wrongAmount } from '../money/amount.ts';

export function CreateAccount(props: {
  opened: boolean;
  onClose: () => void;
  onCreated: (account: OperatorAccount) => void;
}) {
  return (
    <Dialog title="Create an account" opened={props.opened} onClose={props.onClose}>
      <AccountForm onCreated={props.onCreated} onClose={props.onClose} />
    </Dialog>
  );
}

function AccountForm(props: { onCreated: (account: OperatorAccount) => void; onClose: () => void }) {
  const { currency } = useSession();
  const [name, setName] = useState('');
  const [credit, setCredit] = useState('');
  const [tried, setTried] = useState(false);
  const call = 'POST /admin/v1/accounts';
  const create = useSend(call, ['GET /admin/v1/accounts', 'GET /panel/session'], (input) =>
    once(input, (idempotencyKey) => send(call, input, { idempotencyKey })),
  );
  const served = fieldErrors(create.error);
  const wrong = {
    name: name.trim() === '' ? t('Give the account a name') : undefined,
    credit: credit.trim() === '' ? undefined : wrongAmount(credit),
  };
  const submit = () => {
    setTried(true);
    if (wrong.name || wrong.credit) return;
    const body = {
      name: name.trim(),
      ...(credit.trim() !== '' && { credit: credit.trim() }),
    };
    create.mutate({ body }, { onSuccess: props.onCreated });
  };
  return (
    <DialogForm action="Create account" sending={create} onSubmit={submit} onClose={props.onClose}>
      <TextInput
        label="Name"
        data-autofocus
        maxLength={100}
        value={name}
        error={(tried && wrong.name) || served['/name']}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <AmountField
        label={`First credit, ${currency}`}
        description="Optional; more can be added at any time."
        placeholder="10.00"
        value={credit}
        error={(tried && wrong.credit) || served['/credit']}
        onChange={setCredit}
      />
    </DialogForm>
  );
}
