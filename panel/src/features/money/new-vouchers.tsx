import type { AnswerOf } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { amount as formatted, number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { AmountField } from '../../ui/form/amount-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Notice } from '../../ui/notice.tsx';
import { once } from '../jobs/idempotency.ts';
import { wrongAmount } from './amount.ts';

type Made = AnswerOf<'POST /admin/v1/vouchers'>;

export function NewVouchers({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      title={made ? `${number(made.count)} × ${formatted(made.amount)}` : 'Make vouchers'}
      opened={opened}
      onClose={close}
      keep={made !== undefined}
    >
      {made ? <Codes made={made} onClose={close} /> : <VouchersForm onMade={setMade} onClose={close} />}
    </Dialog>
  );
}

const empty = { amount: '', count: '1', uses: '1', lastDay: '', name: '' };

function VouchersForm({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const { currency } = useSession();
  const [texts, setTexts] = useState(empty);
  const [tried, setTried] = useState(false);
  const call = 'POST /admin/v1/vouchers';
  const make = useSend(call, ['GET /admin/v1/vouchers'], (input) =>
    once(input, (idempotencyKey) => send(call, input, { idempotencyKey })),
  );
  const served = fieldErrors(make.error);
  const { amount, count, uses, lastDay } = texts;
  const wrong = {
    ...{ amount: wrongAmount(amount), count: wrongNumber(count), uses: wrongNumber(uses) },
    lastDay:
      lastDay !== '' && Date.parse(endOf(lastDay)) <= Date.now() ? t('A day that is not over') : undefined,
  };
  const field = (name: keyof typeof empty) => ({
    value: texts[name],
    error: (tried && name in wrong && wrong[name as keyof typeof wrong]) || served[`/${inBody[name]}`], // `wrong` has this name
    onChange: (event: ChangeEvent<HTMLInputElement>) =>
      setTexts({ ...texts, [name]: event.currentTarget.value }),
  });
  const submit = () => {
    setTried(true);
    if (Object.values(wrong).every((one) => one === undefined))
      make.mutate({ body: bodyOf(texts) }, { onSuccess: onMade });
  };
  return (
    <DialogForm action="Make vouchers" sending={make} onSubmit={submit} onClose={onClose}>
      <AmountField
        label={`Worth of each, ${currency}`}
        placeholder="10"
        data-autofocus
        {...field('amount')}
        onChange={(amount) => setTexts({ ...texts, amount })}
      />
      <TextInput label="Codes" description="At most 5,000 at once" inputMode="numeric" {...field('count')} />
      <TextInput
        label="Uses of each"
        description="How many accounts may redeem it, each of them once"
        inputMode="numeric"
        {...field('uses')}
      />
      <TextInput
        label="Last day"
        description="Optional, in UTC; they stop working after it"
        type="date"
        {...field('lastDay')}
      />
      <TextInput
        label="Name"
        description="Optional, for operators"
        placeholder="Spring fair"
        maxLength={100}
        {...field('name')}
      />
    </DialogForm>
  );
}

const inBody: Record<keyof typeof empty, string> = {
  ...{ amount: 'amount', count: 'count', uses: 'uses', lastDay: 'expires_at', name: 'name' },
};

function bodyOf({ amount, count, uses, lastDay, name }: typeof empty) {
  return {
    ...{ amount: amount.trim(), count: Number(count), uses: Number(uses) },
    ...(lastDay !== '' && { expires_at: endOf(lastDay) }),
    ...(name.trim() !== '' && { name: name.trim() }),
  };
}

function endOf(day: string): string {
  return `${day}T23:59:59.999Z`;
}

function wrongNumber(text: string): string | undefined {
  return /^[1-9]\d{0,6}$/.test(text.trim()) ? undefined : t('A whole number, 1 or more');
}

const shownCodes = 10;

function Codes({ made, onClose }: { made: Made; onClose: () => void }) {
  const { codes, amount, expires_at: end } = made;
  const table = ['code,amount,expires_at', ...codes.map((code) => `${code},${amount},${end ?? ''}`), ''];
  const more = codes.length - shownCodes;
  return (
    <>
      <Notice tone="warn" title="This is the only time they are shown">
        Darkroom keeps only their hashes. Download them now.
      </Notice>
      <CodeBlock code={codes.slice(0, shownCodes).join('\n')} what="codes" wrap />
      {more > 0 && <p className="small soft">And {number(more)} more in the file.</p>}
      <div className="row">
        <Button
          component="a"
          data-autofocus
          download={`vouchers-${made.voucher_batch_id}.csv`}
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(table.join('\r\n'))}`}
        >
          Download CSV
        </Button>
        <Button variant="default" onClick={onClose}>
          I have saved them
        </Button>
      </div>
    </>
  );
}
