import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';

const maxLength = 100;

export function AlbumForm(props: {
  title: string;
  action: string;
  name?: string;
  opened: boolean;
  sending: { error: unknown; isPending: boolean };
  onClose: () => void;
  onName: (name: string) => void;
}) {
  return (
    <Dialog title={props.title} opened={props.opened} onClose={props.onClose}>
      <Fields {...props} />
    </Dialog>
  );
}

function Fields(props: Parameters<typeof AlbumForm>[0]) {
  const [name, setName] = useState(props.name ?? '');
  const [tried, setTried] = useState(false);
  const isEmpty = name.trim() === '';
  const submit = () => {
    setTried(true);
    if (!isEmpty) props.onName(name.trim());
  };
  return (
    <DialogForm action={props.action} sending={props.sending} onSubmit={submit} onClose={props.onClose}>
      <TextInput
        label="Name"
        data-autofocus
        maxLength={maxLength}
        value={name}
        error={tried && isEmpty && 'Give it a name.'}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
