import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { announce } from '../../ui/announce.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { once } from '../jobs/idempotency.ts';
import { changedByCredit } from './changed-by-credit.ts';

export function RedeemVoucher() {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Redeem voucher
      </Button>
      <Dialog title="Redeem a voucher" opened={opened} onClose={() => setOpened(false)}>
        <VoucherForm onClose={() => setOpened(false)} />
      </Dialog>
    </>
  );
}

function VoucherForm({ onClose }: { onClose: () => void }) {
  const params = { account_id: useAccountId() };
  const [code, setCode] = useState('');
  const [tried, setTried] = useState(false);
  const call = 'POST /api/v1/vouchers/redeem';
  const redeem = useSend(call, changedByCredit, (input) =>
    once(input, (idempotencyKey) => send(call, input, { idempotencyKey })),
  );
  const missing = code.trim() === '' ? t('The code you were given') : undefined;
  const submit = () => {
    setTried(true);
    if (missing) return;
    redeem.mutate(
      { params, body: { code: code.trim() } },
      {
        onSuccess({ amount }) {
          announce(t('{amount} added to the balance', { amount }));
          onClose();
        },
      },
    );
  };
  return (
    <DialogForm action="Redeem" sending={redeem} onSubmit={submit} onClose={onClose}>
      <TextInput
        label="Code"
        placeholder="XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX"
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        value={code}
        error={(tried && missing) || fieldErrors(redeem.error)['/code']}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
