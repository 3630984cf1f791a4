import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { EmailField } from '../../ui/form/email-field.tsx';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { Notice } from '../../ui/notice.tsx';

export function InviteCustomer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog title="Invite a customer" opened={opened} onClose={onClose}>
      <Invitation onClose={onClose} />
    </Dialog>
  );
}

function Invitation({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const invite = useSend('POST /panel/operator/customers/invite');
  if (invite.isSuccess)
    return (
      <div className="stack">
        <Notice tone="calm" title="The invitation is on its way" alert>
          It is in the inbox of {email}.
        </Notice>
        <div className="row end">
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    );
  const submit = () => invite.mutate({ body: { email } });
  return (
    <DialogForm action="Send the invitation" sending={invite} onSubmit={submit} onClose={onClose}>
      <p className="soft">
        An email leads them to a page where they choose a password and get an account of their own. It works
        for a week.
      </p>
      <EmailField
        required
        data-autofocus
        autoComplete="off"
        value={email}
        error={fieldErrors(invite.error)['/email']}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
