import type { Session } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { Form } from '../../ui/form/form.tsx';
import { Plain } from '../../ui/plain.tsx';
import { AcceptDocuments, useDocuments, versionsOf } from './accept-documents.tsx';
import { NewPassword } from './new-password.tsx';

/** Behind the link of a sign-up: a password, and what has to be accepted. */
export function ConfirmSignUp(props: {
  token: string;
  email: string;
  onSession: (session: Session) => void;
}) {
  const { token, email } = props;
  const [password, setPassword] = useState('');
  const documents = useDocuments();
  const confirm = useSend('POST /panel/sign-up/confirm');
  const submit = () => {
    const body = { token, password, accepted: versionsOf(documents) };
    confirm.mutate({ body }, { onSuccess: props.onSession });
  };
  return (
    <Plain title="Choose a password">
      <p className="soft">
        From now on, sign in with <strong>{email}</strong> and this password.
      </p>
      <Form error={confirm.error} onSubmit={submit}>
        <NewPassword
          email={email}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <AcceptDocuments documents={documents} />
        <Button type="submit" loading={confirm.isPending} fullWidth>
          Create my account
        </Button>
      </Form>
    </Plain>
  );
}
