import type { MemberRow } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { bodyOf, OwnPassword } from '../profile/own-password.tsx';
import { MemberRoleSelect } from './member-role.tsx';
import { Members } from './members.tsx';
import { RemoveMember } from './remove-member.tsx';
import { roleOption } from './role-field.tsx';

export function OwnMembers({ accountId }: { accountId: string }) {
  const { person: viewer, operator } = useSession();
  const isSelf = (person: MemberRow) => person.person_id === viewer.person_id;
  const isOwner = (all: readonly MemberRow[]) => all.some((one) => isSelf(one) && one.role === 'owner');
  const mayChange = (person: MemberRow) => operator || !isSelf(person);
  return (
    <Members
      accountId={accountId}
      role={(person) =>
        mayChange(person) ? (
          <MemberRoleSelect accountId={accountId} person={person} />
        ) : (
          roleOption(person.role).label
        )
      }
      actions={(person, all) => (
        <>
          {isOwner(all) && !isSelf(person) && <HandOver accountId={accountId} person={person} />}
          {mayChange(person) && <RemoveMember accountId={accountId} person={person} />}
        </>
      )}
    />
  );
}

function HandOver({ accountId, person }: { accountId: string; person: MemberRow }) {
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);
  return (
    <>
      <ActionButton
        size="compact-sm"
        variant="default"
        aria-label={`Hand over to ${person.name}`}
        onClick={() => setAsking(true)}
      >
        Hand over
      </ActionButton>
      <Dialog title={`Hand the account over to ${person.name}?`} opened={asking} onClose={close}>
        <HandOverForm accountId={accountId} person={person} onClose={close} />
      </Dialog>
    </>
  );
}

function HandOverForm(props: { accountId: string; person: MemberRow; onClose: () => void }) {
  const { person_id, name } = props.person;
  const session = useSession();
  const [password, setPassword] = useState('');
  const call = 'POST /api/v1/members/:person_id/transfer';
  const transfer = useSend(call, ['GET /api/v1/members', 'GET /panel/session']);
  const params = { account_id: props.accountId, person_id };
  return (
    <DialogForm
      action="Hand over"
      sending={transfer}
      onSubmit={() => transfer.mutate({ params, body: bodyOf(password) })}
      onClose={props.onClose}
    >
      <p>{name} becomes its owner and you become a developer. Only they can give it back.</p>
      <OwnPassword session={session} error={transfer.error} value={password} onChange={setPassword} />
    </DialogForm>
  );
}
