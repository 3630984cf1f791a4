import type { LinkInfo, Session } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSend } from '../api/queries.ts';
import { send } from '../api/send.ts';
import { ConfirmSignUp } from '../features/people/confirm-sign-up.tsx';
import { NewPassword } from '../features/people/new-password.tsx';
import { ResetPassword } from '../features/people/reset-password.tsx';
import { useEnter } from '../features/people/use-enter.ts';
import { paths } from '../paths.ts';
import { EmailField } from '../ui/form/email-field.tsx';
import { Form } from '../ui/form/form.tsx';
import { Link } from '../ui/link.tsx';
import { Plain } from '../ui/plain.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** Opens one-time links. The token is in the fragment, and is removed from the address bar immediately. */
export function OpenLinkPage() {
  // A query instead of an effect, so that the link is opened only once, however often the page renders.
  const opening = useQuery({
    queryKey: ['opened link'],
    queryFn: openIfSignIn,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const enter = useEnter();
  const session = opening.data?.session;
  useEffect(() => {
    if (session) enter(session);
  }, [session, enter]);

  if (opening.data && !session) return <Entering info={opening.data.info} onSession={enter} />;
  return (
    <Plain title={opening.error ? 'This link cannot be used' : 'Signing you in'}>
      <ProblemAlert error={opening.error} />
      {opening.error && (
        <>
          <p className="soft">
            Links work once and for a limited time. Ask for a new one where you asked for this one. An
            operator can make one as well; in the folder of the server, <code>darkroom panel-link</code> does.
          </p>
          <p>
            <Link href={paths.signIn()}>Sign in with a password</Link>
          </p>
        </>
      )}
    </Plain>
  );
}

async function openIfSignIn(): Promise<{ info: LinkInfo; session: Session | null }> {
  const info = await send('POST /panel/links/look', { body: { token } });
  if (info.kind !== 'sign_in') return { info, session: null };
  return { info, session: await send('POST /panel/links/open', { body: { token } }) };
}

function Entering({ info, onSession }: { info: LinkInfo; onSession: (session: Session) => void }) {
  const email = info.email ?? '';
  if (info.kind === 'sign_up') return <ConfirmSignUp token={token} email={email} onSession={onSession} />;
  if (info.kind === 'password_reset')
    return <ResetPassword token={token} email={email} onSession={onSession} />;
  return <Invitation info={info} onSession={onSession} />;
}

function Invitation(props: { info: LinkInfo; onSession: (session: Session) => void }) {
  const [fields, setFields] = useState({ name: '', email: '', password: '' });
  const open = useSend('POST /panel/links/open');
  const change = (name: keyof typeof fields) => (event: React.ChangeEvent<HTMLInputElement>) =>
    setFields({ ...fields, [name]: event.currentTarget.value });
  return (
    <Plain title={props.info.account_name ? `Join ${props.info.account_name}` : 'Become an operator'}>
      <p className="soft">
        {props.info.role === 'operator'
          ? 'You have been invited to run this installation: accounts, models, prices and the system.'
          : 'You have been invited to make images, keys and webhooks for this account.'}
      </p>
      <Form
        error={open.error}
        onSubmit={() => open.mutate({ body: { token, ...fields } }, { onSuccess: props.onSession })}
      >
        <TextInput
          label="Your name"
          autoComplete="name"
          required
          withAsterisk={false}
          value={fields.name}
          onChange={change('name')}
        />
        <EmailField required value={fields.email} onChange={change('email')} />
        <NewPassword value={fields.password} onChange={change('password')} />
        <Button type="submit" loading={open.isPending} fullWidth>
          Accept the invitation
        </Button>
      </Form>
    </Plain>
  );
}

/** The token is read when this file loads, which happens only when a link is opened. */
const token = location.hash.slice(1);
history.replaceState(history.state, '', location.pathname);
