import type { Session } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { Form } from '../../ui/form/form.tsx';
import { Plain } from '../../ui/plain.tsx';
import { CodeForm } from './code-form.tsx';
import { NewPassword } from './new-password.tsx';

export function ResetPassword(props: {
  token: string;
  email: string;
  onSession: (session: Session) => void;
}) {
  const { token, email, onSession } = props;
  const [password, setPassword] = useState('');
  const [codeWanted, setCodeWanted] = useState(false);
  const reset = useSend('POST /panel/sign-in/reset');
  const submit = () =>
    reset.mutate(
      { body: { token, password } },
      {
        onSuccess: (answer) => (answer.next === 'done' ? onSession(answer.session) : setCodeWanted(true)),
      },
    );
  if (codeWanted)
    return (
      <Plain title="Enter the code">
        <p className="soft">The new password is set.</p>
        <CodeForm onSession={onSession} />
      </Plain>
    );
  return (
    <Plain title="Set a new password">
      <p className="soft">
        For <strong>{email}</strong>. You are signed out everywhere else.
      </p>
      <Form error={reset.error} onSubmit={submit}>
        <NewPassword
          email={email}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={reset.isPending} fullWidth>
          Set the password
        </Button>
      </Form>
    </Plain>
  );
}
