import type { PersonRow } from '@darkroom/server/panel-contract';
import { useSend } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';

/** Deletes a person from the whole installation. */
export function DeletePerson({ person }: { person: PersonRow }) {
  const remove = useSend('DELETE /admin/v1/people/:person', ['GET /api/v1/members']);
  return (
    <ConfirmButton
      label="Delete"
      name={`Delete ${person.name}`}
      title={`Delete ${person.name} for good?`}
      action="Delete person"
      sending={remove}
      onConfirm={() => remove.mutate({ params: { person: person.person_id } })}
    >
      Everything known about {person.name} is deleted: name, email, ways to sign in, sessions, and the
      membership of every account. The audit log keeps what was done, without the name. Keys stay.
    </ConfirmButton>
  );
}
