import type { Key, NewKey } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';

export function RollKey(props: {
  apiKey: Key;
  opened: boolean;
  onClose: () => void;
  onRolled: (made: NewKey) => void;
}) {
  const accountId = useAccountId();
  const [overlap, setOverlap] = useState(String(24 * hour));
  const roll = useSend('POST /api/v1/keys/:key_id/roll', ['GET /panel/accounts/:account_id/keys']);
  const submit = () =>
    roll.mutate(
      { params: { account_id: accountId, key_id: props.apiKey.key_id }, body: { overlap: Number(overlap) } },
      { onSuccess: props.onRolled },
    );
  return (
    <Dialog title={`Roll ${props.apiKey.name}`} opened={props.opened} onClose={props.onClose}>
      <DialogForm action="Roll key" sending={roll} onSubmit={submit} onClose={props.onClose}>
        <p>
          You get a new secret under the same name and with the same models. The old one goes on for a while,
          so that your program can change over without a gap.
        </p>
        <NativeSelect
          label="The old secret works for"
          data-autofocus
          value={overlap}
          onChange={(event) => setOverlap(event.currentTarget.value)}
          data={overlaps}
        />
      </DialogForm>
    </Dialog>
  );
}

/** An hour in seconds. */
const hour = 3_600;
const overlaps = [
  { value: '0', label: t('No overlap: it stops working now') },
  { value: String(hour), label: t('1 hour') },
  { value: String(24 * hour), label: t('24 hours') },
  { value: String(7 * 24 * hour), label: t('7 days') },
];
