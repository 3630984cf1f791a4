import type { MemberRow } from '@darkroom/server/panel-contract';
import { type ReadCall, useSend } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';

const outdated: ReadCall[] = [
  'GET /api/v1/members',
  'GET /admin/v1/accounts',
  'GET /admin/v1/accounts/:account',
  'GET /panel/session',
];

/** Removes a person from one account. The person's memberships in other accounts stay. */
export function RemoveMember(props: { accountId: string; person: MemberRow }) {
  const { person_id, name } = props.person;
  const remove = useSend('DELETE /api/v1/members/:person_id', outdated);
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${name}`}
      title={`Remove ${name}?`}
      action="Remove member"
      sending={remove}
      onConfirm={() => remove.mutate({ params: { account_id: props.accountId, person_id } })}
    >
      {name} can no longer open this account. Keys they made stay as they are.
    </ConfirmButton>
  );
}
