import type { Session, SignInOptions } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { hasPasskeys, signWithPasskey } from '../api/passkeys.ts';
import { queries, read, useRead, useSend } from '../api/queries.ts';
import { send } from '../api/send.ts';
import { CodeForm } from '../features/people/code-form.tsx';
import { OidcButton } from '../features/people/oidc-button.tsx';
import { useLeaving } from '../features/profile/use-leaving.ts';
import { ownPath, paths } from '../paths.ts';
import { useSearchState } from '../search-state.ts';
import { EmailField } from '../ui/form/email-field.tsx';
import { Form } from '../ui/form/form.tsx';
import { PasswordField } from '../ui/form/password-field.tsx';
import { Link, useGo } from '../ui/link.tsx';
import { Notice } from '../ui/notice.tsx';
import { Plain } from '../ui/plain.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

export function SignInPage() {
  const [{ return_to, error }] = useSearchState();
  const options = useRead('GET /panel/sign-in', {});
  const [codeWanted, setCodeWanted] = useState(false);
  const go = useGo();
  useEffect(forget, []);
  const enter = (session: Session) => {
    queries.setQueryData(read('GET /panel/session', {}).queryKey, session);
    go(ownPath(return_to), { replace: true });
  };
  return (
    <Plain title={codeWanted ? 'Enter the code' : 'Sign in'}>
      {error && (
        <Notice tone="bad" title="The identity provider did not sign you in" alert>
          Try again, or ask an operator whether you have been invited and your email is confirmed.
        </Notice>
      )}
      {codeWanted ? (
        <CodeForm onSession={enter} />
      ) : (
        <>
          {options.data?.first_run && <FirstRunHelp />}
          {options.data?.oidc && (
            <OidcButton returnTo={ownPath(return_to)}>Sign in with {options.data.oidc.name}</OidcButton>
          )}
          {options.data?.passkeys && hasPasskeys && <PasskeyButton onSession={enter} />}
          {(options.data?.oidc || (options.data?.passkeys && hasPasskeys)) && (
            <p className="soft tiny" style={{ textAlign: 'center' }}>
              or with a password
            </p>
          )}
          <PasswordForm onSession={enter} onCodeWanted={() => setCodeWanted(true)} />
          {options.data && <OtherWays options={options.data} />}
        </>
      )}
    </Plain>
  );
}

function OtherWays({ options: { forgotten, sign_up: signUp, captcha } }: { options: SignInOptions }) {
  // These links reload the page, to get a policy that allows the captcha. `!=` also covers older servers, which do not
  // report the site key.
  const reload = captcha?.site_key != null;
  return (
    <>
      <p className="soft small">
        {forgotten ? (
          <Link href={paths.forgottenPassword()} reload={reload}>
            Forgot your password?
          </Link>
        ) : (
          'Forgot your password? An operator can make you a one-time link to set a new one.'
        )}
      </p>
      {signUp?.open && (
        <p className="soft small">
          New here?{' '}
          <Link href={paths.signUp()} reload={reload}>
            Sign up
          </Link>
        </p>
      )}
    </>
  );
}

/** Clears cached data, so that the next person to sign in does not see it. */
function forget(): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'GET /panel/sign-in' });
}

function FirstRunHelp() {
  return (
    <Notice tone="calm" title="No password has been set yet">
      <p>
        Open the one-time link that the server printed when it first started, or make a new one with{' '}
        <code>darkroom panel-link</code>, in its folder.
      </p>
    </Notice>
  );
}

function PasswordForm(props: { onSession: (session: Session) => void; onCodeWanted: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useSend('POST /panel/sign-in');
  const submit = () =>
    signIn.mutate(
      { body: { email, password } },
      {
        onSuccess: (answer) =>
          answer.next === 'done' ? props.onSession(answer.session) : props.onCodeWanted(),
      },
    );
  return (
    <Form error={signIn.error} onSubmit={submit}>
      <EmailField
        name="email"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <Button type="submit" loading={signIn.isPending} fullWidth>
        Sign in
      </Button>
    </Form>
  );
}

function PasskeyButton({ onSession }: { onSession: (session: Session) => void }) {
  const leaving = useLeaving();
  const signIn = useMutation({
    async mutationFn() {
      const offer = await send('POST /panel/sign-in/passkey/offer', {});
      return send('POST /panel/sign-in/passkey', { body: await signWithPasskey(offer, leaving) });
    },
    onSuccess: onSession,
  });
  return (
    <>
      <ProblemAlert error={signIn.error} />
      <Button variant="default" fullWidth loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
    </>
  );
}
