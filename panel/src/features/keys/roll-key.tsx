import type { Key, KeyWithSecret, Overlap } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useSend } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';

export function RollKey(props: {
  apiKey: Key;
  opened: boolean;
  onClose: () => void;
  onRolled: (made: KeyWithSecret) => void;
}) {
  const accountId = useAccountId();
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const roll = useSend('POST /panel/accounts/:account_id/keys/:key_id/roll', [
    'GET /panel/accounts/:account_id/keys',
  ]);
  const submit = () =>
    roll.mutate(
      { params: { account_id: accountId, key_id: props.apiKey.key_id }, body: { overlap } },
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
          onChange={(event) =>
            setOverlap(overlaps.find((one) => one.value === event.currentTarget.value)?.value ?? '24h')
          }
          data={overlaps}
        />
      </DialogForm>
    </Dialog>
  );
}

const overlaps: { value: Overlap; label: string }[] = [
  { value: 'now', label: 'No overlap: it stops working now' },
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
];
