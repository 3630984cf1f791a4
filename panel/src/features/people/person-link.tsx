import type { PersonRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { Confirm } from '../../ui/dialog/confirm.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { OneTimeLink } from './one-time-link.tsx';

/** A one-time sign-in link, for a person who has lost the password. */
export function PersonLink({ person }: { person: PersonRow }) {
  const [asking, setAsking] = useState(false);
  const link = useSend('POST /panel/operator/people/:person_id/link');
  const done = () => {
    link.reset();
    setAsking(false);
  };
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`New link for ${person.name}`}
        onClick={() => setAsking(true)}
      >
        New link
      </Button>
      <Confirm
        title={`Make a link for ${person.name}?`}
        opened={asking && !link.data}
        onClose={done}
        action="Make the link"
        error={link.error}
        pending={link.isPending}
        onConfirm={() => link.mutate({ params: { person_id: person.person_id } })}
      >
        It signs {person.name} in once and lets them set a new password. Their present sessions end.
      </Confirm>
      <Dialog title={`Link for ${person.name}`} opened={link.data !== undefined} onClose={done} keep>
        {link.data && <OneTimeLink invitation={link.data} onDone={done} />}
      </Dialog>
    </>
  );
}
