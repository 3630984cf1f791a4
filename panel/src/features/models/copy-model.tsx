import type { InstalledModel } from '@darkroom/server/panel-contract';
import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/send.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';

interface Props {
  models: Pick<InstalledModel, 'id' | 'name'>[];
  onClose: () => void;
  onCreated: (model: string) => void;
}

export function CopyModel({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Dialog title="Add a model" opened={opened} onClose={props.onClose}>
      <CopyForm {...props} />
    </Dialog>
  );
}

function CopyForm({ models, onClose, onCreated }: Props) {
  const [from, setFrom] = useState(models[0]?.id ?? '');
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const client = useQueryClient();
  const add = useMutation({
    async mutationFn() {
      const { definition } = await send('GET /panel/operator/models/:model_id', {
        params: { model_id: from },
      });
      if (!definition) throw new Error(t('This model was removed meanwhile. Choose another.'));
      const copy = { ...definition, id: id.trim(), name: name.trim() };
      await send('POST /admin/v1/models', {
        body: { models: [copy], if_versions: { [copy.id]: null }, apply: true },
      });
      return copy.id;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['GET /panel/operator/models'] }),
  });
  const errors = fieldErrors(add.error);
  return (
    <DialogForm
      action="Add model"
      sending={add}
      onClose={onClose}
      onSubmit={() => add.mutate(undefined, { onSuccess: onCreated })}
    >
      <NativeSelect
        label="Copy of"
        description="Everything but its id can be changed afterwards."
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        data={models.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
      />
      <TextInput
        label="Id"
        description="As in /api/v1/{id}/text-generations; it never changes."
        placeholder="flux"
        data-autofocus
        value={id}
        error={errors['/id']}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <TextInput
        label="Name"
        placeholder="FLUX"
        value={name}
        error={errors['/name']}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
