import type { Invitation } from '@darkroom/server/panel-contract';
import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { bodyOf, OwnPassword } from '../profile/own-password.tsx';
import { OneTimeLink } from './one-time-link.tsx';
import { RoleField } from './role-field.tsx';

/** Creates a link that the inviter passes on, because the server does not email invitations. */
export function Invite<Role extends string>(props: {
  title: string;
  roles: readonly Role[];
  preset: Role;
  opened: boolean;
  onClose: () => void;
  /** The role that requires the inviter's password. */
  guarded?: Role | undefined;
  make: (asked: { note?: string; role: Role; current_password?: string }) => Promise<Invitation>;
}) {
  const [note, setNote] = useState('');
  const [role, setRole] = useState(props.preset);
  const [password, setPassword] = useState('');
  const session = useSession();
  const invite = useMutation({ mutationFn: props.make });
  const close = () => {
    invite.reset();
    setNote('');
    setPassword('');
    props.onClose();
  };
  return (
    <Dialog title={props.title} opened={props.opened} onClose={close}>
      {invite.data ? (
        <OneTimeLink invitation={invite.data} onDone={close} />
      ) : (
        <DialogForm
          action="Make the link"
          sending={invite}
          onSubmit={() =>
            invite.mutate({
              ...{ role, ...(note.trim() !== '' && { note: note.trim() }) },
              ...(role === props.guarded && bodyOf(password)),
            })
          }
          onClose={close}
        >
          <p>You get a link to hand over. It works once; whoever opens it chooses an email and a password.</p>
          <RoleField role={role} roles={props.roles} onChange={setRole} />
          <TextInput
            label="Note"
            description="For your own list, such as the person's name. Optional."
            data-autofocus
            maxLength={200}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
          />
          {role === props.guarded && (
            <OwnPassword session={session} error={invite.error} value={password} onChange={setPassword} />
          )}
        </DialogForm>
      )}
    </Dialog>
  );
}
