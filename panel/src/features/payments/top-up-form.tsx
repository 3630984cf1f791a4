import type { TopUp } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { wrongAmount } from '../money/amount.ts';

const usual = { threshold: '5.00', amount: '25.00', month_most: '100.00' };
type Field = keyof typeof usual;

export function TopUpForm({ topUp, onClose }: { topUp: TopUp; onClose: () => void }) {
  const { currency } = useSession();
  const params = { account_id: useAccountId() };
  const [values, setValues] = useState({
    threshold: topUp.threshold ?? usual.threshold,
    amount: topUp.amount ?? usual.amount,
    month_most: topUp.month_most ?? usual.month_most,
  });
  const [tried, setTried] = useState(false);
  const save = useSend('PUT /api/v1/top-up', ['GET /api/v1/top-up']);
  const served = fieldErrors(save.error);
  const submit = () => {
    setTried(true);
    if (Object.values(values).some(wrongAmount)) return;
    save.mutate({ params, body: values }, { onSuccess: onClose });
  };
  const field = (name: Field, label: string, description: string) => (
    <AmountField
      label={`${label}, ${currency}`}
      description={description}
      autoComplete="off"
      maxLength={20}
      {...(name === 'threshold' && { 'data-autofocus': true })}
      value={values[name]}
      error={(tried && wrongAmount(values[name])) || served[`/${name}`]}
      onChange={(amount) => setValues({ ...values, [name]: amount })}
    />
  );
  return (
    <DialogForm
      action={topUp.status === 'on' ? 'Save' : 'Turn on'}
      sending={save}
      onSubmit={submit}
      onClose={onClose}
    >
      {field(
        'threshold',
        t('When less is available than'),
        t('The amount reserved for jobs is not available.'),
      )}
      {field('amount', t('Charge'), t('The card pays it, and it is credited.'))}
      {field('month_most', t('At most in a month'), t('Nothing more is charged before the next month.'))}
    </DialogForm>
  );
}
