import type { Session } from '@darkroom/server/panel-contract';
import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { t } from '../../languages/words.ts';
import { Form } from '../../ui/form/form.tsx';
import { Plain } from '../../ui/plain.tsx';
import { NewPassword } from './new-password.tsx';

const names = { terms: t('the terms'), privacy: t('the privacy policy') };

/** Behind the link of a sign-up: a password, and what has to be accepted. */
export function ConfirmSignUp(props: {
  token: string;
  email: string;
  onSession: (session: Session) => void;
}) {
  const { token, email } = props;
  const [password, setPassword] = useState('');
  const documents = useRead('GET /panel/sign-in', {}).data?.sign_up?.documents ?? [];
  const confirm = useSend('POST /panel/sign-up/confirm');
  const submit = () => {
    const accepted = Object.fromEntries(documents.map(({ document, version }) => [document, version]));
    confirm.mutate({ body: { token, password, accepted } }, { onSuccess: props.onSession });
  };
  return (
    <Plain title="Choose a password">
      <p className="soft">
        With <strong>{email}</strong> and this password you sign in from now on.
      </p>
      <Form error={confirm.error} onSubmit={submit}>
        <NewPassword
          email={email}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {documents.length > 0 && (
          <Checkbox
            required
            label={
              <>
                I accept{' '}
                {documents.map(({ document, url }, index) => (
                  <span key={document}>
                    {index > 0 && ' and '}
                    <a href={url} target="_blank" rel="noreferrer">
                      {names[document]}
                    </a>
                  </span>
                ))}
              </>
            }
          />
        )}
        <Button type="submit" loading={confirm.isPending} fullWidth>
          Create my account
        </Button>
      </Form>
    </Plain>
  );
}
