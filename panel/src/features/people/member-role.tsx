import type { MemberRole, MemberRow } from '@darkroom/server/panel-contract';
import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { bodyOf, OwnPassword } from '../profile/own-password.tsx';
import { roleOption } from './role-field.tsx';

const changeRole = 'PATCH /api/v1/members/:person_id';

export const memberRoles: readonly MemberRole[] = ['owner', 'developer', 'billing', 'viewer'];

/** An owner who makes another member an owner must enter their own password. */
export function MemberRoleSelect({ accountId, person }: { accountId: string; person: MemberRow }) {
  const mayAll = useSession().rights.includes('operate');
  const [asking, setAsking] = useState(false);
  const send = useSend(changeRole, ['GET /api/v1/members']);
  const params = { account_id: accountId, person_id: person.person_id };
  const close = () => setAsking(false);
  const give = (role: MemberRole) =>
    role === 'owner' && !mayAll ? setAsking(true) : send.mutate({ params, body: { role } });
  return (
    <>
      <NativeSelect
        size="xs"
        miw={112}
        aria-label={`Role of ${person.name}`}
        data={memberRoles.map(roleOption)}
        value={person.role}
        disabled={send.isPending}
        onChange={
          (event) => give(event.currentTarget.value as MemberRole) // one of the options
        }
      />
      {send.error && <ProblemAlert error={send.error} />}
      <Dialog title={`Make ${person.name} an owner?`} opened={asking} onClose={close}>
        <MakeOwner accountId={accountId} person={person} onClose={close} />
      </Dialog>
    </>
  );
}

function MakeOwner(props: { accountId: string; person: MemberRow; onClose: () => void }) {
  const { person_id, name } = props.person;
  const session = useSession();
  const [password, setPassword] = useState('');
  const send = useSend(changeRole, ['GET /api/v1/members']);
  const params = { account_id: props.accountId, person_id };
  const body = { role: 'owner' as const, ...bodyOf(password) };
  return (
    <DialogForm
      action="Make an owner"
      sending={send}
      onSubmit={() => send.mutate({ params, body }, { onSuccess: props.onClose })}
      onClose={props.onClose}
    >
      <p>{name} can then do all that you can, and also remove you.</p>
      <OwnPassword session={session} error={send.error} value={password} onChange={setPassword} />
    </DialogForm>
  );
}
