import type { PersonRow } from '@darkroom/server/panel-contract';
import { useRead, useSend } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';

/** Confirms that an email address is the person's. Account emails and single sign-on use only confirmed addresses. */
export function ConfirmEmail({ person }: { person: PersonRow }) {
  const options = useRead('GET /panel/sign-in', {});
  const confirm = useSend('POST /panel/operator/people/:person_id/confirm-email', [
    'GET /panel/operator/operators',
    'GET /api/v1/members',
  ]);
  const { email } = person;
  if (!options.data || email === null || person.email_confirmed) return null;
  const { oidc } = options.data;
  return (
    <ConfirmButton
      label="Confirm email"
      name={`Confirm the email of ${person.name}`}
      title={`Is ${email} the address of ${person.name}?`}
      action="Confirm email"
      sending={confirm}
      onConfirm={() => confirm.mutate({ params: { person_id: person.person_id }, body: { email } })}
    >
      {oidc
        ? `Emails about their accounts go there, and whoever has it at ${oidc.name} can sign in as ${person.name}. Confirm it only if you know that it is theirs.`
        : 'Emails about their accounts go there. Confirm it only if you know that it is theirs.'}
    </ConfirmButton>
  );
}
