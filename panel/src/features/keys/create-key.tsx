import type { ModelId, NewKey } from '@darkroom/server/panel-contract';
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { useModels } from '../../api/models.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { LimitFields, NetworksField } from '../limits/limit-fields.tsx';
import { sheetOf } from '../limits/limit-sheet.ts';
import { changesOf, type LimitTexts, networksOf, wrongLimits } from '../limits/limit-words.ts';
import classes from '../limits/limits.module.css';
import { ModelsField } from './models-field.tsx';

export function CreateKey(props: {
  opened: boolean;
  onClose: () => void;
  onCreated: (made: NewKey) => void;
}) {
  return (
    <Dialog title="Create an API key" opened={props.opened} onClose={props.onClose}>
      <KeyForm onCreated={props.onCreated} onClose={props.onClose} />
    </Dialog>
  );
}

function KeyForm({ onCreated, onClose }: { onCreated: (made: NewKey) => void; onClose: () => void }) {
  const accountId = useAccountId();
  const [name, setName] = useState('');
  const known = useModels();
  const [chosen, setChosen] = useState<ModelId[] | null>(null);
  const [days, setDays] = useState('');
  const limits = useLimits(accountId);
  const [tried, setTried] = useState(false);
  const create = useSend('POST /api/v1/keys', ['GET /panel/accounts/:account_id/keys']);
  const wrong = {
    name: name.trim() === '' ? t('Name it after the program that will use it') : undefined,
    models: chosen?.length === 0 ? t('Choose at least one model') : undefined,
    limits: limits.wrong,
  };
  const submit = () => {
    setTried(true);
    if (wrong.name || wrong.models || Object.keys(wrong.limits).length > 0) return;
    const body = {
      name: name.trim(),
      models: chosen,
      ...(days !== '' && { expires_in: Number(days) * daySeconds }),
      limits: changesOf(limits.rows, limits.texts),
      networks: networksOf(limits.networks),
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
      <ModelsField
        label="Models"
        description="Requests for other models are refused with 403."
        models={known}
        chosen={chosen}
        error={tried && wrong.models}
        onChange={setChosen}
      />
      <NativeSelect
        label="Expires"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value)}
        data={[
          { value: '', label: t('Never') },
          { value: '1', label: t('In 1 day') },
          { value: '7', label: t('In 7 days') },
          { value: '30', label: t('In 30 days') },
          { value: '90', label: t('In 90 days') },
          { value: '365', label: t('In a year') },
        ]}
      />
      <details className={classes.more}>
        <summary>Limits</summary>
        <div className="stack">
          <LimitFields
            rows={limits.rows}
            texts={limits.texts}
            wrong={Object.fromEntries(
              limits.rows.map(({ limit }) => [
                limit,
                (tried && wrong.limits[limit]) || served[`/limits/${limit}`],
              ]),
            )}
            onChange={limits.setTexts}
          />
          <NetworksField text={limits.networks} onChange={limits.setNetworks} />
        </div>
      </details>
    </DialogForm>
  );
}

function useLimits(accountId: string) {
  const known = useRead('GET /api/v1/limits', { params: { account_id: accountId } });
  const { data = [], unset = [] } = known.data ?? {};
  const rows = sheetOf({ data: [], unset: [...data, ...unset] });
  const [texts, setTexts] = useState<LimitTexts>({});
  const [networks, setNetworks] = useState('');
  return { rows, texts, setTexts, networks, setNetworks, wrong: wrongLimits(rows, texts) };
}

const daySeconds = 86_400;
