import type { PersonRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { Confirm } from '../../ui/dialog/confirm.tsx';

/** For people who chose their own e-mail. Only single sign-on needs it confirmed. */
export function ConfirmEmail({ person }: { person: PersonRow }) {
  const [asking, setAsking] = useState(false);
  const options = useRead('GET /panel/sign-in', {});
  const confirm = useSend('POST /panel/operator/people/:person_id/confirm-email', [
    'GET /panel/operator/operators',
    'GET /panel/operator/accounts/:account_id',
  ]);
  const { email } = person;
  if (!options.data?.oidc || email === null || person.email_confirmed) return null;
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Confirm the e-mail of ${person.name}`}
        onClick={() => setAsking(true)}
      >
        Confirm e-mail
      </Button>
      <Confirm
        title={`Is ${email} the address of ${person.name}?`}
        opened={asking}
        onClose={() => setAsking(false)}
        action="Confirm e-mail"
        error={confirm.error}
        pending={confirm.isPending}
        onConfirm={() => confirm.mutate({ params: { person_id: person.person_id }, body: { email } })}
      >
        Whoever has this address at {options.data.oidc.name} can then sign in as {person.name}. Confirm it
        only if you know that it is theirs.
      </Confirm>
    </>
  );
}
