import type { PauseScope } from '@darkroom/server/panel-contract';
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';

export function PauseForm(props: { scope: PauseScope; name: string; opened: boolean; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState('');
  const pause = useSend('PUT /admin/v1/pauses/:scope', ['GET /panel/operator/models']);
  const submit = () => {
    const body = {
      ...(reason.trim() && { reason: reason.trim() }),
      ...(minutes && { for: Number(minutes) * 60 }),
    };
    pause.mutate({ params: { scope: props.scope }, body }, { onSuccess: props.onClose });
  };
  return (
    <Dialog title={`Pause ${props.name}`} opened={props.opened} onClose={props.onClose}>
      <DialogForm action="Pause" sending={pause} onSubmit={submit} onClose={props.onClose}>
        <TextInput
          label="Reason"
          description="Shown to everybody whose request is refused. Optional."
          placeholder="Maintenance at the provider"
          data-autofocus
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <NativeSelect
          label="Until"
          value={minutes}
          onChange={(event) => setMinutes(event.currentTarget.value)}
          data={[
            { value: '', label: t('It is resumed') },
            { value: '15', label: t('In 15 minutes') },
            { value: '60', label: t('In 1 hour') },
            { value: '240', label: t('In 4 hours') },
            { value: '1440', label: t('In 1 day') },
          ]}
        />
      </DialogForm>
    </Dialog>
  );
}
