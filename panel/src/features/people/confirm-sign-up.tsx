import type { Session } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { hasPasskeys, makePasskey } from '../../api/passkeys.ts';
import { useRead, useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { Form } from '../../ui/form/form.tsx';
import { Plain } from '../../ui/plain.tsx';
import { browserName } from '../profile/browser-name.ts';
import { useLeaving } from '../profile/use-leaving.ts';
import { AcceptDocuments, useDocuments, versionsOf } from './accept-documents.tsx';
import { NewPassword } from './new-password.tsx';

interface Props {
  token: string;
  email: string;
  onSession: (session: Session) => void;
}

export function ConfirmSignUp(props: Props) {
  const [byPasskey, setByPasskey] = useState(false);
  const canHave = useRead('GET /panel/sign-in', {}).data?.sign_up?.passkeys === true && hasPasskeys;
  return (
    <Plain title={byPasskey ? 'Create a passkey' : 'Choose a password'}>
      {byPasskey ? <ByPasskey {...props} /> : <ByPassword {...props} />}
      {canHave && (
        <Button variant="subtle" fullWidth onClick={() => setByPasskey(!byPasskey)}>
          {byPasskey ? 'Use a password instead' : 'Use a passkey instead'}
        </Button>
      )}
    </Plain>
  );
}

function ByPassword({ token, email, onSession }: Props) {
  const [password, setPassword] = useState('');
  const documents = useDocuments();
  const confirm = useSend('POST /panel/sign-up/confirm');
  const submit = () => {
    const body = { token, password, accepted: versionsOf(documents) };
    confirm.mutate({ body }, { onSuccess: onSession });
  };
  return (
    <>
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
    </>
  );
}

function ByPasskey({ token, email, onSession }: Props) {
  const documents = useDocuments();
  const leaving = useLeaving();
  const confirm = useMutation({
    async mutationFn() {
      const offered = await send('POST /panel/sign-up/passkey/offer', { body: { token } });
      const made = await makePasskey(offered, leaving);
      const body = { token, name: browserName(navigator.userAgent), ...made };
      return send('POST /panel/sign-up/passkey', { body: { ...body, accepted: versionsOf(documents) } });
    },
    onSuccess: onSession,
  });
  return (
    <>
      <p className="soft">
        From now on, sign in with the fingerprint, face or PIN of your device. If you lose it, an email to{' '}
        <strong>{email}</strong> lets you set a password.
      </p>
      <Form error={confirm.error} onSubmit={() => confirm.mutate()}>
        <AcceptDocuments documents={documents} />
        <Button type="submit" loading={confirm.isPending} fullWidth>
          Create my account
        </Button>
      </Form>
    </>
  );
}
