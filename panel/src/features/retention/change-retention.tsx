import type { OperatorAccount, RetentionRow } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { whyErased } from '../operator/why-erased.ts';
import { daysText, partName, retentionChanges, wrongDays } from './retention-words.ts';

export function ChangeRetention(props: { account: OperatorAccount; rows: RetentionRow[] }) {
  const { account, rows } = props;
  const [editing, setEditing] = useState(false);
  return (
    <>
      <ActionButton size="xs" variant="default" why={whyErased(account)} onClick={() => setEditing(true)}>
        Change what is kept
      </ActionButton>
      <Dialog title="What is kept" opened={editing} onClose={() => setEditing(false)}>
        <RetentionForm accountId={account.account_id} rows={rows} onClose={() => setEditing(false)} />
      </Dialog>
    </>
  );
}

function RetentionForm(props: { accountId: string; rows: RetentionRow[]; onClose: () => void }) {
  const { accountId, onClose } = props;
  // What the fields began with: what another person changes meanwhile is not a change of this form.
  const [rows] = useState(props.rows);
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(rows.map(({ part, days, own }) => [part, own ? String(days) : ''])),
  );
  const [tried, setTried] = useState(false);
  const change = useSend('PATCH /api/v1/retention', ['GET /api/v1/retention']);
  const served = fieldErrors(change.error);
  const submit = () => {
    setTried(true);
    if (rows.some((row) => wrongDays(row, texts[row.part] ?? ''))) return;
    const body = retentionChanges(rows, texts);
    if (Object.keys(body).length === 0) return onClose();
    change.mutate({ params: { account_id: accountId }, body }, { onSuccess: onClose });
  };
  return (
    <DialogForm action="Save" sending={change} onSubmit={submit} onClose={onClose}>
      <p className="soft small">
        In days. Empty means as the installation. Nothing of a job is kept for longer than the job, and what
        is past its days is removed for good.
      </p>
      {rows.map((row) => (
        <TextInput
          key={row.part}
          label={partName[row.part]}
          placeholder={row.own ? 'As the installation' : daysText(row.days)}
          inputMode="numeric"
          value={texts[row.part] ?? ''}
          error={(tried && wrongDays(row, texts[row.part] ?? '')) || served[`/${row.part}`]}
          onChange={(event) => setTexts({ ...texts, [row.part]: event.currentTarget.value })}
        />
      ))}
    </DialogForm>
  );
}
