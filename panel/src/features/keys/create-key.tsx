import type { KeyWithSecret, ModelId } from '@darkroom/server/panel-contract';
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useModels } from '../../api/models.ts';
import { useSend } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';

export function CreateKey(props: {
  opened: boolean;
  onClose: () => void;
  onCreated: (made: KeyWithSecret) => void;
}) {
  return (
    <Dialog title="Create an API key" opened={props.opened} onClose={props.onClose}>
      <KeyForm onCreated={props.onCreated} onClose={props.onClose} />
    </Dialog>
  );
}

function KeyForm({ onCreated, onClose }: { onCreated: (made: KeyWithSecret) => void; onClose: () => void }) {
  const accountId = useAccountId();
  const [name, setName] = useState('');
  const known = useModels();
  /** Null: every model, also those to come. */
  const [chosen, setChosen] = useState<ModelId[] | null>(null);
  const models = chosen ?? known.map(({ model }) => model);
  const [days, setDays] = useState('');
  const [tried, setTried] = useState(false);
  const create = useSend('POST /panel/accounts/:account_id/keys', ['GET /panel/accounts/:account_id/keys']);
  const wrong = {
    name: name.trim() === '' ? 'Name it after the program that will use it' : undefined,
    models: chosen?.length === 0 ? 'Choose at least one model' : undefined,
  };
  const submit = () => {
    setTried(true);
    if (wrong.name || wrong.models) return;
    const body = {
      name: name.trim(),
      models: chosen,
      expires_at: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
    };
    create.mutate({ params: { account_id: accountId }, body }, { onSuccess: onCreated });
  };
  const served = fieldErrors(create.error);
  return (
    <DialogForm action="Create key" sending={create} onSubmit={submit} onClose={onClose}>
      <TextInput
        label="Name"
        placeholder="Shop, staging"
        data-autofocus
        maxLength={100}
        value={name}
        error={(tried && wrong.name) || served['/name']}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Checkbox.Group
        label="Models"
        description="Requests for other models are refused with 403."
        value={models}
        error={tried && wrong.models}
        onChange={(ids) => setChosen(ids.length === known.length ? null : ids)}
      >
        <div className="stack tight" style={{ marginTop: 8 }}>
          {known.map(({ model, name }) => (
            <Checkbox key={model} value={model} label={`${name} (${model})`} />
          ))}
        </div>
      </Checkbox.Group>
      <NativeSelect
        label="Expires"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: '', label: 'Never' },
          { value: '1', label: 'In 1 day' },
          { value: '7', label: 'In 7 days' },
          { value: '30', label: 'In 30 days' },
          { value: '90', label: 'In 90 days' },
          { value: '365', label: 'In a year' },
        ]}
      />
    </DialogForm>
  );
}

const dayMs = 86_400_000;
