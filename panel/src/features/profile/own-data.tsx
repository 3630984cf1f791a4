import type { Session } from '@darkroom/server/panel-contract';
import { Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { queries, read, useSend } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { DialogForm } from '../../ui/dialog/dialog-form.tsx';
import { saveFile } from '../../ui/files/save-file.ts';
import { fieldErrors } from '../../ui/form/field-errors.ts';
import { PasswordField } from '../../ui/form/password-field.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';

export function OwnData({ session }: { session: Session }) {
  const [deleting, setDeleting] = useState(false);
  const download = useMutation({ mutationFn: saveData });
  return (
    <>
      <p className="soft small">
        Name, email, ways to sign in, sessions, terms that you accepted, accounts, and the newest 1,000 each
        of keys and links that you made and of what the audit log says you did. Images belong to their
        accounts.
      </p>
      <ProblemAlert error={download.error} />
      <div className="row">
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          Download my data
        </Button>
        <Button variant="default" onClick={() => setDeleting(true)}>
          Delete me
        </Button>
      </div>
      <Dialog title="Delete me for good?" opened={deleting} onClose={() => setDeleting(false)}>
        <Deletion session={session} onClose={() => setDeleting(false)} />
      </Dialog>
    </>
  );
}

async function saveData(): Promise<void> {
  const data = await queries.fetchQuery({ ...read('GET /panel/session/data', {}), staleTime: 0 });
  saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'my-data.json');
}

function Deletion({ session, onClose }: { session: Session; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [lost, setLost] = useState<string>();
  const [givesUp, setGivesUp] = useState(false);
  const remove = useSend('POST /panel/session/delete');
  const submit = () =>
    remove.mutate(
      { body: { ...(password !== '' && { current_password: password }), give_up_balance: givesUp } },
      {
        onSuccess: () => location.assign(paths.signIn()),
        // Only the server knows the remaining balance, and it reports the balance before it deletes the person.
        onError: (error) => setLost((said) => fieldErrors(error)['/give_up_balance'] ?? said),
      },
    );
  return (
    <DialogForm action="Delete me" sending={remove} onSubmit={submit} onClose={onClose}>
      <p>
        Everything known about you is deleted, and you leave every account. An account with no other member is
        erased with its images.
      </p>
      {session.has_password && (
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          data-autofocus
          value={password}
          error={fieldErrors(remove.error)['/current_password']}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      )}
      {lost !== undefined && (
        <Checkbox
          label={`Give it up: ${lost}`}
          checked={givesUp}
          onChange={(event) => setGivesUp(event.currentTarget.checked)}
        />
      )}
    </DialogForm>
  );
}
