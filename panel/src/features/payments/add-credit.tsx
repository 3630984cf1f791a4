import { Button, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { amount as formatted } from '../../languages/format.ts';
import { useSearchState } from '../../search-state.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { once } from '../jobs/idempotency.ts';

/** Renders nothing if the installation takes no payments. The low-balance email links here. */
export function AddCredit() {
  const params = { account_id: useAccountId() };
  const { data } = useRead('GET /api/v1/payments', { params, query: { limit: '1' } });
  const [search, change] = useSearchState();
  const close = () => change({ add: undefined });
  if (!data?.enabled) return null;
  return (
    <>
      <Button onClick={() => change({ add: 'credit' })}>Add credit</Button>
      <Dialog title="Add credit" opened={search.add === 'credit'} onClose={close}>
        <AmountForm {...data} onClose={close} />
      </Dialog>
    </>
  );
}

interface Offer {
  amounts: string[];
  least: string;
  most: string;
}

function AmountForm({ amounts, least, most, onClose }: Offer & { onClose: () => void }) {
  const params = { account_id: useAccountId() };
  const [amount, setAmount] = useState(amounts[1] ?? amounts[0] ?? least);
  const call = 'POST /api/v1/payments';
  const pay = useSend(call, [], (input) =>
    once(input, (idempotencyKey) => send(call, input, { idempotencyKey })),
  );
  const submit = () =>
    pay.mutate({ params, body: { amount: amount.trim() } }, { onSuccess: ({ url }) => location.assign(url) });
  return (
    <DialogForm action="Go to payment" sending={pay} onSubmit={submit} onClose={onClose}>
      <SegmentedControl
        fullWidth
        aria-label="Amounts"
        data={amounts.map((one) => ({ value: one, label: formatted(one) }))}
        value={amounts.includes(amount) ? amount : ''}
        onChange={setAmount}
      />
      <AmountField
        label="Amount"
        description={`From ${formatted(least)} to ${formatted(most)}. Taxes, if any, are added on the page of payment.`}
        autoComplete="off"
        data-autofocus
        maxLength={20}
        value={amount}
        error={fieldErrors(pay.error)['/amount']}
        onChange={setAmount}
      />
    </DialogForm>
  );
}
