import type { MemberRow } from '@darkroom/server/panel-contract';
import { useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { MemberRoleSelect } from './member-role.tsx';
import { Members } from './members.tsx';
import { RemoveMember } from './remove-member.tsx';
import { roleOption } from './role-field.tsx';

/** The members of an account for its owners, who say who comes and goes, and what the others may do. */
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

function HandOver(props: { accountId: string; person: MemberRow }) {
  const { person_id, name } = props.person;
  const call = 'POST /api/v1/members/:person_id/transfer';
  const transfer = useSend(call, ['GET /api/v1/members', 'GET /panel/session']);
  return (
    <ConfirmButton
      label="Hand over"
      name={`Hand over to ${name}`}
      title={`Hand the account over to ${name}?`}
      action="Hand over"
      sending={transfer}
      onConfirm={() => transfer.mutate({ params: { account_id: props.accountId, person_id } })}
    >
      {name} becomes its owner and you become a developer. Only they can give it back.
    </ConfirmButton>
  );
}
