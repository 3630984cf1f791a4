import type { LimitChanges, LimitRow } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { LimitFields, NetworksField } from './limit-fields.tsx';
import { changesOf, networksOf, textsOf, wrongLimits } from './limit-words.ts';

interface Edited {
  rows: readonly LimitRow[];
  /** The networks that may use the key; undefined for an account, which has no such limit. */
  networks?: readonly string[] | null;
  sending: { error: unknown; isPending: boolean };
  onSave: (changes: { limits: LimitChanges; networks?: string[] | null }) => void;
  onClose: () => void;
}

export function EditLimits({ title, opened, ...edited }: Edited & { title: string; opened: boolean }) {
  return (
    <Dialog title={title} opened={opened} onClose={edited.onClose}>
      <LimitsForm {...edited} />
    </Dialog>
  );
}

function LimitsForm({ sending, onSave, onClose, ...shown }: Edited) {
  // What the fields began with: what another person changes meanwhile is not a change of this form.
  const [{ rows, networks }] = useState(shown);
  const [texts, setTexts] = useState(() => textsOf(rows));
  const [from, setFrom] = useState(() => (networks ?? []).join(', '));
  const [tried, setTried] = useState(false);
  const wrong = wrongLimits(rows, texts);
  const served = fieldErrors(sending.error);
  const submit = () => {
    setTried(true);
    if (Object.keys(wrong).length > 0) return;
    const limits = changesOf(rows, texts);
    const wanted = networksOf(from);
    const isMoved = networks !== undefined && String(wanted) !== String(networks);
    if (Object.keys(limits).length === 0 && !isMoved) return onClose();
    onSave({ limits, ...(isMoved && { networks: wanted }) });
  };
  return (
    <DialogForm action="Save limits" sending={sending} onSubmit={submit} onClose={onClose}>
      <p className="soft small">
        Empty means the default of the installation, or no limit where it has none; <code>none</code> means no
        limit in any case. Hours, days and months are of UTC; what was used already counts.
      </p>
      <LimitFields
        rows={rows}
        texts={texts}
        wrong={Object.fromEntries(
          rows.map(({ limit }) => [
            limit,
            (tried && wrong[limit]) || (served[`/limits/${limit}`] ?? served[`/${limit}`]),
          ]),
        )}
        onChange={setTexts}
      />
      {networks !== undefined && <NetworksField text={from} onChange={setFrom} />}
    </DialogForm>
  );
}
