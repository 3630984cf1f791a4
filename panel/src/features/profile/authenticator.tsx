import type { AnswerOf, Session } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/queries.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Form } from '../../ui/form/form.tsx';
import { PasswordField } from '../../ui/form/password-field.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { QrCode } from './qr-code.tsx';

type SetUp = AnswerOf<'POST /panel/session/authenticator'>;

export function Authenticator({ session }: { session: Session }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <p className="soft small">
        {session.has_authenticator
          ? 'Signing in asks for a code from your authenticator app.'
          : 'A code from an authenticator app as a second step, so that a password alone is not enough.'}
      </p>
      <div>
        <ActionButton
          variant="default"
          why={session.has_password ? undefined : 'Set a password first.'}
          onClick={() => setOpen(true)}
        >
          {session.has_authenticator ? 'Remove the authenticator' : 'Set up an authenticator'}
        </ActionButton>
      </div>
      <Dialog
        title={session.has_authenticator ? 'Remove the authenticator' : 'Set up an authenticator'}
        opened={open}
        onClose={close}
      >
        {session.has_authenticator ? <Removal onDone={close} /> : <Beginning onDone={close} />}
      </Dialog>
    </>
  );
}

function Beginning({ onDone }: { onDone: () => void }) {
  const [setUp, setSetUp] = useState<SetUp>();
  const begin = useSend('POST /panel/session/authenticator');
  if (setUp) return <Confirmation setUp={setUp} onDone={onDone} />;
  return (
    <PasswordStep
      action="Continue"
      error={begin.error}
      pending={begin.isPending}
      onPassword={(password) => begin.mutate({ body: { password } }, { onSuccess: setSetUp })}
    />
  );
}

function Confirmation({ setUp, onDone }: { setUp: SetUp; onDone: () => void }) {
  const [code, setCode] = useState('');
  const confirm = useSend('POST /panel/session/authenticator/confirm', ['GET /panel/session']);
  const secret = new URL(setUp.uri).searchParams.get('secret') ?? '';
  return (
    <Form onSubmit={() => confirm.mutate({ body: { code: code.trim() } }, { onSuccess: onDone })}>
      <p>
        Scan this with your app, <a href={setUp.uri}>open it there</a>, or type the key.
      </p>
      <QrCode text={setUp.uri} what="QR code for the app" />
      <CodeBlock code={secret} what="key for the app" wrap />
      <p>Keep these backup codes: if you lose the app, each signs you in once.</p>
      <CodeBlock code={setUp.backup_codes.join('\n')} what="backup codes" />
      <ProblemAlert error={confirm.error} />
      <TextInput
        label="Code from the app"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        withAsterisk={false}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={confirm.isPending}>
          Turn it on
        </Button>
      </div>
    </Form>
  );
}

function Removal({ onDone }: { onDone: () => void }) {
  const remove = useSend('POST /panel/session/authenticator/remove', ['GET /panel/session']);
  return (
    <PasswordStep
      action="Remove"
      error={remove.error}
      pending={remove.isPending}
      onPassword={(password) => remove.mutate({ body: { password } }, { onSuccess: onDone })}
    />
  );
}

function PasswordStep(props: {
  action: string;
  error: unknown;
  pending: boolean;
  onPassword: (password: string) => void;
}) {
  const [password, setPassword] = useState('');
  return (
    <Form error={props.error} onSubmit={() => props.onPassword(password)}>
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        data-autofocus
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" loading={props.pending}>
          {props.action}
        </Button>
      </div>
    </Form>
  );
}
